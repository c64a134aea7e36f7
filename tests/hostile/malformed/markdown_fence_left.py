# does = "still has its Markdown fence"
# accept = ["exception"]
```python
def answer():
    return 1
```
