# does = "raises an exception whose name and message are not in Latin letters"
# accept = ["exception"]
class 誤り(Exception):
    pass


def answer():
    raise 誤り("量子もつれ " * 1000)
