"""The stack with erasures, beside the longest values of others."""

LARGEST = {"erase": True}
ABSENT = ("ERASE",)
