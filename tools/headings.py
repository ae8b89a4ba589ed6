"""How a page's headings are named in links to them, by GitHub's rule."""
import re


def slug(heading):
    """The anchor of a heading: lower case, words joined by hyphens, nothing but letters, digits, hyphens and underscores."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
