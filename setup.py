"""Adds the long description: the README with absolute links and images, which a package index can show."""

import re
from pathlib import Path

from setuptools import setup

HERE = Path(__file__).parent
VERSION = re.findall(r'__version__ = "(.+)"', (HERE / "repair_bench" / "_version.py").read_text(encoding="utf-8"))[0]
REPOSITORY = "repair-bench/repair-bench"
PLACES = {
    r'(!\[[^\]]*\]\(|src="|srcset=")': f"https://raw.githubusercontent.com/{REPOSITORY}/v{VERSION}/",
    r'((?<!!)\[[^\]]*\]\(|\)\]\(|href=")': f"https://github.com/{REPOSITORY}/blob/v{VERSION}/",
}
"""Maps the text before a relative address to the place that the address is relative to."""

text = (HERE / "README.md").read_text(encoding="utf-8")
for before, place in PLACES.items():
    text = re.sub(rf"{before}(?!https?:|mailto:|#)", rf"\g<1>{place}", text)
setup(long_description=text, long_description_content_type="text/markdown")
