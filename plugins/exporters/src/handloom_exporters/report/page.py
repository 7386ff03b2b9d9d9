"""The page itself: an overview of all episodes, then each one with its verdict, plots, pictures and sentences."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any

import numpy as np

from handloom_exporters.report import plots
from handloom_exporters.report.agreement import agreements
from handloom_exporters.report.gathering import EpisodeFacts, SceneFacts, Sync, Track
from handloom_exporters.report.looks import CSS

_IN_A_ROW, _ROWS = 8, 2
"""Pictures of a contact sheet; rows are full where there are enough pictures for one."""

_JPEG_QUALITY = 88


def page(facts: SceneFacts) -> str:
    """Return the whole page as HTML that needs no other file and no network."""
    body = "\n".join([*_overview(facts), *(part for episode in facts.episodes for part in _episode(episode))])
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(facts.title)}: Handloom report</title><style>{CSS}</style></head>\n"
        f"<body><main>\n{body}\n</main></body></html>\n"
    )


def _overview(facts: SceneFacts) -> Iterator[str]:
    usable = [bool(episode.verdict["usable"]) for episode in facts.episodes if episode.verdict]
    failed = sum(said.outcome == "failed" for episode in facts.episodes for said in episode.said)
    total = sum(episode.seconds for episode in facts.episodes)
    unjudged = len(facts.episodes) - len(usable)
    tiles = {
        "episodes": str(len(facts.episodes)),
        **({"usable": f"{sum(usable)} of {len(usable)}"} if usable else {}),
        **({"not judged": str(unjudged)} if unjudged else {}),
        "recorded": f"{total:.1f} s",
        "steps that failed": str(failed),
    }
    yield f"<h1>{escape(facts.title)}</h1>"
    yield '<div class="tiles">' + "".join(f"<div><b>{v}</b><span>{k}</span></div>" for k, v in tiles.items())
    yield "</div>"
    yield _table(
        ("episode", "verdict", "why", "length", "poses", "width", "worst clock"),
        [_overview_row(episode) for episode in facts.episodes],
    )
    yield from _sentences(facts.whole)


def _overview_row(episode: EpisodeFacts) -> tuple[str, ...]:
    verdict = episode.verdict or {}
    reasons = ", ".join(map(str, verdict.get("reasons", ())))
    failed = [said.step for said in episode.said if said.outcome == "failed"]
    lost = [f"failed: {', '.join(failed)}"] if failed else []
    why = escape("; ".join([*([reasons] if reasons else []), *lost]))
    return (
        f'<a href="#{escape(episode.name, quote=True)}">{escape(episode.name)}</a>',
        _badge(episode),
        why,
        f"{episode.seconds:.1f} s",
        _coverage(_poses(episode)[:1]),
        _coverage(_widths(episode)[:1]),
        escape(_uncertainty(max(episode.syncs, key=_sigma_ns)) if episode.syncs else ""),
    )


def _badge(episode: EpisodeFacts) -> str:
    if not episode.verdict:
        return '<span class="badge">not judged</span>'
    usable = bool(episode.verdict["usable"])
    return f'<span class="badge {"good" if usable else "bad"}">{"usable" if usable else "not usable"}</span>'


def _coverage(tracks: Iterable[Track]) -> str:
    shares = [np.isfinite(track.data).reshape(len(track.data), -1).all(axis=1).mean() for track in tracks]
    return ", ".join(f"{100 * share:.1f} %" for share in shares if not math.isnan(share))


def _sigma_ns(sync: Sync) -> float:
    return sync.known.uncertainty_ns


def _uncertainty(sync: Sync) -> str:
    sigma_us = _sigma_ns(sync) * 1e-3
    return f"±{sigma_us:.3g} µs" if sigma_us < 999.5 else f"±{sigma_us * 1e-3:.3g} ms"


def _episode(episode: EpisodeFacts) -> Iterator[str]:
    yield f'<section id="{escape(episode.name, quote=True)}"><h2>{escape(episode.name)} {_badge(episode)}</h2>'
    yield _contact_sheet(episode.pictures)
    poses = _poses(episode)
    yield from _paths(poses)
    scalars = _widths(episode) + tuple(t for t in _scalars(episode) if t not in _widths(episode))
    if poses or scalars:
        yield _figure(plots.timeline(poses[:1], scalars), "Measured over time; what is lost is shaded.")
    for sync in episode.syncs:
        yield from _sync(sync)
    yield from _sentences(episode)
    yield _details("Streams", _streams(episode))
    yield "</section>"


def _paths(poses: tuple[Track, ...]) -> Iterator[str]:
    """Show the path of the first pose stream, and those of other sources of the same body in the same frame."""
    if not poses:
        return
    body, frame = poses[0].type.body, poses[0].type.frame
    same = tuple(track for track in poses if (track.type.body, track.type.frame) == (body, frame))
    others = ", ".join(track.name for track in same[1:])
    beside = f" {poses[0].name} coloured by time, {others} dashed." if others else ""
    yield _figure(plots.paths(same), f"Path of {body} in {frame}: start ●, end ■.{beside}")
    found = agreements(same)
    if found:
        told = "; ".join(agreement.sentence for agreement in found)
        yield _figure(plots.differences(found), f"How far the sources of {body} are apart in {frame}. {told}.")


def _poses(episode: EpisodeFacts) -> tuple[Track, ...]:
    """Return the pose streams that hold a path, those of the tool first."""
    found = [track for track in episode.tracks if track.type.kind == "pose" and _has_path(track)]
    return tuple(sorted(found, key=lambda track: (track.type.body != "tcp", track.name != "tcp.pose", track.name)))


def _has_path(track: Track) -> bool:
    return int(np.isfinite(track.data).all(axis=1).sum()) > 1


def _scalars(episode: EpisodeFacts) -> tuple[Track, ...]:
    """Return the streams of one number that vary, those that steps computed before what devices noted."""
    varying = [track for track in episode.tracks if track.type.kind == "scalar" and _varies(track)]
    steps = {said.step for said in episode.said if not said.is_recorded}
    return tuple(sorted(varying, key=lambda track: (track.name.partition(".")[0] not in steps, track.name)))


def _varies(track: Track) -> bool:
    if track.data.ndim != 1 or track.data.dtype.kind != "f":
        return False
    known = track.data[np.isfinite(track.data)]
    return len(known) > 1 and bool(np.ptp(known) > 0.0)


def _widths(episode: EpisodeFacts) -> tuple[Track, ...]:
    named = [track for track in _scalars(episode) if track.name.endswith(".width")]
    return tuple(named) or tuple(track for track in _scalars(episode) if track.type.unit == "m")


def _sync(sync: Sync) -> Iterator[str]:
    known = sync.known
    values = {
        "method": sync.attributes.get("method", "not said"),
        "offset": f"{known.offset_ns * 1e-9:.9f} s",
        "drift": f"{known.drift_ppm:+.3f} ppm ± {known.drift_uncertainty_ppm:.2g}",
        "uncertainty": _uncertainty(sync),
        **{key: _shown(value) for key, value in sync.attributes.items() if key.startswith("confidence")},
    }
    yield f"<h3>Clock {escape(known.source)} → {escape(known.target)} <small>{escape(sync.name)}</small></h3>"
    yield _pairs(values)
    drawn = plots.envelopes(sync)
    if drawn:
        yield _figure(drawn, "Matched-filter envelope around the arrival that was taken.")


def _sentences(episode: EpisodeFacts) -> Iterator[str]:
    failures = [(said.step, said.reason) for said in episode.said if said.outcome == "failed"]
    notes = [(said.step, note) for said in episode.said for note in said.notes]
    if failures:
        yield '<h3>What failed</h3><ul class="failures">' + "".join(map(_item, failures)) + "</ul>"
    if notes:
        yield "<h3>Notes</h3><ul>" + "".join(map(_item, notes)) + "</ul>"
    values = {
        f"{said.step}.{key}": value for said in episode.said for key, value in sorted(said.attributes.items())
    }
    if values:
        yield _details("Measured values", _pairs({key: _shown(value) for key, value in values.items()}))


def _item(pair: tuple[str, str]) -> str:
    return f"<li><b>{escape(pair[0])}</b> {escape(pair[1])}</li>"


def _streams(episode: EpisodeFacts) -> str:
    rows = [
        (escape(name), escape(str(type_)), f"{count}", f"{span:.2f} s")
        for name, (type_, count, span) in episode.counts.items()
    ]
    return _table(("stream", "type", "samples", "length"), rows)


def _contact_sheet(pictures: tuple[Track, ...]) -> str:
    strips = [_strip(track) for track in pictures if len(track.data)]
    return "".join(strips)


def _strip(track: Track) -> str:
    """Show evenly spread pictures of a stream, in order."""
    count = len(track.data)
    shown = min(count // _IN_A_ROW, _ROWS) * _IN_A_ROW or count
    chosen = np.unique(np.linspace(0, count - 1, shown).astype(int))
    cells = "".join(
        f'<figure><img alt="{track.seconds[row]:.1f} s" src="{_jpeg(track.data[row])}">'
        f"<figcaption>{track.seconds[row]:.1f} s</figcaption></figure>"
        for row in chosen
    )
    return f'<h3>Pictures <small>{escape(track.name)}</small></h3><div class="sheet">{cells}</div>'


def _jpeg(picture: Any) -> str:
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, "JPEG", quality=_JPEG_QUALITY)
    return f"data:image/jpeg;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def _figure(svg: str, caption: str) -> str:
    return f'<figure class="plot">{svg}<figcaption>{escape(caption)}</figcaption></figure>'


def _details(title: str, inside: str) -> str:
    return f"<details><summary>{title}</summary>{inside}</details>"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    top = "".join(f"<th>{title}</th>" for title in head)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def _pairs(values: Mapping[str, Any]) -> str:
    inside = "".join(f"<dt>{escape(key)}</dt><dd>{escape(str(value))}</dd>" for key, value in values.items())
    return f"<dl>{inside}</dl>"


def _shown(value: Any) -> str:
    """Show a plain value short enough to read."""
    if isinstance(value, Mapping) and value:
        text = ", ".join(f"{key}: {_shown(each)}" for key, each in value.items())
    else:
        text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 160 else f"{text[:157]}…"
