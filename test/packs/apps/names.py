"""Prints every public name of the packed library in which a word of one letter stands: an abbreviation come apart."""

import inspect
import re

import cdk8s_flipop

ONE_LETTER = re.compile(r"(^|_)[a-z]_|_[a-z]$")


def names(cls):
    """Names of members, and of the parameters that they take."""
    for name, member in inspect.getmembers(cls):
        if name.startswith("_") and name != "__init__":
            continue
        yield name
        if inspect.isfunction(member):
            yield from inspect.signature(member).parameters


for title in cdk8s_flipop.__all__:
    for name in names(getattr(cdk8s_flipop, title)):
        if ONE_LETTER.search(name):
            print(f"{title}.{name}")
