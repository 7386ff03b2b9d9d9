"""How the page looks."""

CSS = """
:root { --ink: #1d2733; --faint: #66727f; --line: #e1e6eb; --ground: #f6f7f9; --main: #0b6e99; }
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", sans-serif;
}
main { max-width: 980px; margin: 0 auto; padding: 28px 20px 60px; }
h1 { font-size: 27px; margin: 0 0 14px; }
h2 { font-size: 20px; margin: 0 0 12px; }
h3 { font-size: 15px; margin: 20px 0 6px; }
h3 small { color: var(--faint); font-weight: normal; }
section {
  background: #fff; border: 1px solid var(--line); border-radius: 10px;
  padding: 20px 22px; margin-top: 24px;
}
.tiles { display: flex; flex-wrap: wrap; gap: 12px; margin-bottom: 18px; }
.tiles div {
  background: #fff; border: 1px solid var(--line); border-radius: 10px;
  padding: 10px 18px; min-width: 130px;
}
.tiles b { display: block; font-size: 22px; }
.tiles span, figcaption, dt { color: var(--faint); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; background: #fff; font-size: 14px; }
th, td { text-align: left; padding: 6px 10px; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--faint); font-weight: 600; }
a { color: var(--main); }
.badge {
  display: inline-block; font-size: 12px; font-weight: 600;
  padding: 1px 9px; border-radius: 20px; background: #e8ecf0;
}
.badge.good { background: #d8f0e1; color: #1c6b3d; }
.badge.bad { background: #fbdedb; color: #9c2019; }
.sheet {
  display: grid; grid-template-columns: repeat(8, 1fr); gap: 6px;
  margin-bottom: 14px;
}
.sheet figure { margin: 0; }
.sheet img { width: 100%; display: block; border-radius: 5px; }
.sheet figcaption { font-size: 11px; }
.plot { margin: 14px 0 0; }
.plot svg { width: 100%; height: auto; }
.plot figcaption { font-size: 13px; }
ul { padding-left: 20px; margin: 6px 0; }
.failures li { color: #9c2019; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 18px; margin: 6px 0; font-size: 14px; }
dt { overflow-wrap: anywhere; }
dd { margin: 0; overflow-wrap: anywhere; }
details { margin-top: 14px; }
summary { cursor: pointer; color: var(--main); }
@media (max-width: 600px) { dl { grid-template-columns: 1fr; } .sheet { grid-template-columns: repeat(4, 1fr); } }
"""
