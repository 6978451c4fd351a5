"""Names of columns that describe the course after the case was examined: times and events of the endpoints of
clinical trials, and what is known only after the death of a patient."""

from __future__ import annotations

import re
from collections.abc import Sequence

_GAP = r"[\s_.\-]*"
_FREE = rf"{_GAP}free"
_STEM = (
    r"(?:os|dss|css|rfs|dfs|pfs|efs|ffs|mfs|dmfs|lrfs|bcrfs|bcr|dfi|pfi|ttp|ttr"
    rf"|(?:overall|disease{_GAP}specific|cancer{_GAP}specific|(?:relapse|recurrence|disease|progression|event"
    rf"|failure|metastasis){_FREE}){_GAP}(?:survival|interval))"
)
_WORD = r"(?:months?|days?|weeks?|years?|yrs?|time|status|events?|censor(?:ed|ing)?|indicator|ind)"
_LETTER = r"[\s_.\-][tedmy]"
_TIME_WORD = r"(?:months?|days?|weeks?|years?|yrs?|time)"
_TIME = re.compile(rf"(?P<stem>{_STEM}){_GAP}(?:in{_GAP})?{_TIME_WORD}(?:{_GAP}{_TIME_WORD})?")
_EVENT_OF = re.compile(rf"(?P<stem>{_STEM})(?:{_GAP}(?:status|events?|indicator|ind))?")
_PLAIN_TIME = re.compile(
    rf"(?:survival|follow{_GAP}up|observation|event){_GAP}(?:time|months|days|weeks|years|duration)"
    rf"|time(?:{_GAP}to{_GAP}event)?|duration|futime|stime"
)
_PLAIN_EVENT = re.compile(
    rf"event(?:{_GAP}(?:observed|occurred|indicator|status))?|(?:vital{_GAP}|survival{_GAP})?status|fustat"
    r"|death|dead|died|deceased"
)
_OF_ENDPOINT = re.compile(rf"(?P<stem>{_STEM})(?:{_GAP}(?:in{_GAP})?{_WORD}(?:{_GAP}{_WORD})?|{_LETTER})")
_EVENT = rf"(?:death|recurrence|relapse|progression|metastasis|last{_GAP}(?:follow{_GAP}up|contact))"
_OF_COURSE = re.compile(
    rf"(?:causes?|manner|dates?|days?|months?|years?|time|age|place){_GAP}(?:of|to|till|until|at){_GAP}{_EVENT}"
    rf"|death{_GAP}(?:causes?|dates?|reason|days|time|age|year)|(?:vital|survival|living){_GAP}status"
    rf"|last{_GAP}(?:follow{_GAP}up|contact)(?:{_GAP}(?:days|dates?|months|time))?"
    rf"|follow{_GAP}up{_GAP}(?:time|days|months|years|duration)"
    r"|todes(?:ursache|datum|zeitpunkt)|sterbedatum|überlebens(?:zeit|status|dauer)"
    r"|死因|死亡(?:原因|日期|时间)|生存(?:时间|状态)|随访时间"
)


def endpoint_pairs(columns: Sequence[str]) -> list[tuple[str, str]]:
    """(time, event) of each endpoint, by their names: `OS_MONTHS` with `OS_STATUS`, or `time` with `event` if
    they are the only ones of this kind."""
    times, events = _by_stem(columns, _TIME), _by_stem(columns, _EVENT_OF)
    pairs = [(time, events[stem]) for stem, time in times.items() if stem in events]
    plain = [
        [column for column in columns if named.fullmatch(column.casefold())]
        for named in (_PLAIN_TIME, _PLAIN_EVENT)
    ]
    if not pairs and all(len(found) == 1 for found in plain):
        pairs = [(plain[0][0], plain[1][0])]
    return pairs


def _by_stem(columns: Sequence[str], named: re.Pattern[str]) -> dict[str, str]:
    """Endpoint → its column, if only one is named as such."""
    found: dict[str, list[str]] = {}
    for column in columns:
        if match := named.fullmatch(column.casefold()):
            found.setdefault(match["stem"], []).append(column)
    return {stem: names[0] for stem, names in found.items() if len(names) == 1}


def endpoint_columns(columns: Sequence[str]) -> list[str]:
    """The columns that are named as the time or event of an endpoint, such as `PFS_MONTHS`, or like
    `cause_of_death`. `DSS` is an event if there is also `DSS.time`."""
    found = {column: _OF_ENDPOINT.fullmatch(column.casefold()) for column in columns}
    stems = {match["stem"] for match in found.values() if match is not None}
    return [
        column
        for column, match in found.items()
        if match is not None or column.casefold() in stems or _OF_COURSE.fullmatch(column.casefold())
    ]
