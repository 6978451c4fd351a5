"""Names of columns that describe findings of images or pathology, and of columns that exclude all of them."""

from __future__ import annotations

import re

_FINDING = re.compile(
    r"atelect|cardiomegal|effusion|infiltrat|\bmass\b|nodul|pneumon|pneumothora|consolidat|o?edema|emphysem"
    r"|fibros|pleural|hernia|fractur|opacit|lesion|calcific|granulom|bronchiect|cavit|tubercul|mediastin"
    r"|support device|h(?:a)?emorrhag|bleed|subdural|epidural|subarachnoid|intraventricular|intraparenchymal"
    r"|infarct|isch(?:a)?emi|aneurysm|stenos|thromb|embol|dissect|tumou?r|cyst|polyp|ulcer|metasta|carcinom"
    r"|melanom|adenom|keratos|n(?:a)?ev[iu]|dermatofibrom|retinopath|glaucom|cataract|macular|drusen|exudat"
    r"|microaneurysm|arthros|osteophyt|sclerosis|erosion|malformation|distortion|asymmetr|abscess"
    r"|kardiomegal|erguss|infiltrat|rundherd|fraktur|blutung|ödem|stauung|verschattung"
    r"|derrame|nódulo|épanchement|fracture|积液|结节|肿块|骨折|出血|气胸|肺炎|水肿|肺不张|实变|浸润"
)
_WHOLE = frozenset({"mel", "nv", "bcc", "ak", "akiec", "bkl", "df", "vasc", "scc", "mi", "sttc", "hyp"})
"""Short names of the challenges of ISIC and of PTB-XL."""
_NORMAL = re.compile(
    r"no (?:acute )?(?:findings?|abnormalit(?:y|ies)|disease|lesions?)|normal|healthy|unremarkable|negative"
    r"|kein befund|ohne befund|unauffällig|gesund|sans particularité|sin hallazgos|正常|无异常|未见异常"
)
_OF_PERSON = re.compile(
    r"\b(?:fe)?male\b|\bsex\b|gender|smok|alcohol|männlich|weiblich|geschlecht|raucher|sexe\b|sexo\b|性别|吸烟"
)


def names_finding(column: str) -> bool:
    words = _words(column)
    return words in _WHOLE or _FINDING.search(words) is not None


def names_no_finding(column: str) -> bool:
    """Return whether it is named as "No Finding", "normal" and the like."""
    return _NORMAL.fullmatch(_words(column)) is not None


def describes_person(column: str) -> bool:
    """Return whether it is named after a property such as the sex, which is not a finding."""
    return _OF_PERSON.search(_words(column)) is not None


def _words(column: str) -> str:
    """`No_Finding` and `NoFinding` → "no finding"."""
    apart = re.sub(r"(?<=[a-zß-ÿ])(?=[A-Z])", " ", column)
    return " ".join(re.split(r"[\s_.\-]+", apart)).casefold().strip()
