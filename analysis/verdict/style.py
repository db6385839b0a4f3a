"""The style sheet of the verdict, over that of the report: on a wide screen, on a phone, on paper."""

# What a page on any model begins with.
BLOCK_STYLE = """
.verdict .block { display: grid; gap: .8rem 2.5rem; align-items: center;
  grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); }
.verdict .block :is(h1, h3) { font-size: 1.35rem; font-weight: 600; line-height: 1.3;
  margin: 0 0 .7rem; padding: 0; border: 0; }
.verdict .answer { font-size: 3rem; font-weight: 700; line-height: 1.1; margin: 0 0 .6rem; }
.verdict .because { font-size: 1.1rem; }
.verdict .instead { font-size: 1.1rem; font-weight: 600; margin: 0; }
.verdict .answers { grid-column: 1 / -1; list-style: none; margin: .2rem 0 0; padding: 0;
  display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)); gap: .8rem; }
.verdict .answers li { border-top: 4px solid; padding: .4rem 0 0; }
.verdict .answers :is(a, span) { display: block; color: #1b1b1b; text-decoration: none;
  font-size: .95rem; }
.verdict .answers a:hover { text-decoration: underline; }
.verdict .answers b { font-size: 1.2rem; line-height: 1.25; display: block; }
.verdict .yes { color: #0b4f8a; }
.verdict .no { color: #a33b00; }
.verdict .partly { color: #6b5300; }
.verdict .unknown { color: #4a4a4a; }
.verdict .answers .unknown { border-top-style: dashed; }
.verdict .reasons { grid-column: 1 / -1; }
.verdict .plot { margin: 0; min-width: 0; }
.verdict .plot ol { list-style: none; margin: 0; padding: 0; font-size: .88rem; line-height: 1.4rem;
  display: grid; grid-template-columns: fit-content(45%) minmax(0, 1fr) auto; column-gap: .7rem; }
.verdict .plot li { display: grid; grid-template-columns: subgrid; grid-column: 1 / -1; }
.verdict .plot li + li:not(.axis) { border-top: 1px solid #ececec; }
.verdict .plot li > span { text-align: right; overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap; }
.verdict .plot li > b { font-weight: 400; font-variant-numeric: tabular-nums; color: #4a4a4a;
  text-align: right; }
.verdict .plot div { position: relative; color: #0072b2; }
.verdict .plot i { position: absolute; font-style: normal; print-color-adjust: exact;
  -webkit-print-color-adjust: exact; }
.verdict .plot .line { top: 0; bottom: 0; border-left: 1px solid #b8b8b8; }
.verdict .plot .interval { top: calc(50% - 1px); height: 2px; background: currentColor; }
.verdict .plot .dot { top: calc(50% - .28rem); width: .56rem; height: .56rem; margin-left: -.28rem;
  background: currentColor; border-radius: 50%; }
.verdict .plot .dot:not(:empty) { background: none; line-height: .56rem; }
.verdict .plot .attention div { color: #d55e00; }
.verdict .plot .attention .dot { border-radius: 0; }
.verdict .plot .recommended div { color: #00805d; }
.verdict .plot .recommended .dot { border-radius: 0; transform: rotate(45deg); }
.verdict .plot :is(.attention, .recommended) > :is(span, b) { font-weight: 700; color: #1b1b1b; }
.verdict .plot .recommended > span::before { content: "recommended: "; font-weight: 400; }
.verdict .plot .axis { border-top: 1px solid #1b1b1b; }
.verdict .plot .axis div { height: 1.4em; }
.verdict .plot .axis i { transform: translateX(-50%); color: #1b1b1b; white-space: nowrap; }
.verdict .plot .axis i:last-child { transform: translateX(-75%); }
.verdict .plot figcaption { color: #4a4a4a; font-size: .82rem; margin: .1rem 0 0; }
.verdict .plot > input { position: absolute; opacity: 0; pointer-events: none; }
.verdict .plot > label, .verdict .plot .gap { display: none; }
@media screen and (max-width: 60rem) {
  .verdict .block { gap: .5rem; }
  .verdict .block :is(h1, h3) { font-size: 1.02rem; margin: 0 0 .3rem; }
  .verdict .answer { font-size: 1.9rem; margin: 0 0 .25rem; }
  .verdict .because, .verdict .instead { font-size: .95rem; line-height: 1.35; }
  .verdict .because { margin: 0 0 .3rem; }
  .verdict .answers { grid-template-columns: minmax(0, 1fr); gap: 0; margin: 0; }
  .verdict .answers li { display: flex; justify-content: space-between; gap: .8rem;
    align-items: baseline; border-top: 1px solid #d9d9d9; padding: .2rem 0; }
  .verdict .answers b { font-size: .98rem; text-align: right; }
  .verdict .plot ol { font-size: .82rem; line-height: 1.25rem; column-gap: .45rem; }
  .verdict .plot .recommended > span::before { content: none; }
  .verdict .plot figcaption { display: none; }
  .verdict .plot > input:not(:checked) ~ ol .between, .verdict .plot > input:checked ~ ol .gap,
  .verdict .plot > input:not(:checked) ~ label .opened,
  .verdict .plot > input:checked ~ label .closed { display: none; }
  .verdict .plot > input:not(:checked) ~ ol .gap { display: block; color: #4a4a4a;
    text-align: center; line-height: 1.1rem; font-size: .75rem; background: #f6f6f6; }
  .verdict .plot > label { display: block; cursor: pointer; color: #0b4f8a; font-size: .82rem;
    text-decoration: underline; text-align: right; margin: .1rem 0 0; }
  .verdict .plot > input:focus-visible ~ label { outline: 2px solid #0b4f8a; }
}
@media print {
  .verdict .block { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 4mm 6mm;
    break-inside: avoid; }
  .verdict .answer { font-size: 24pt; }
  .verdict .because, .verdict .instead { font-size: 11pt; }
  .verdict .answers b { font-size: 11pt; }
  .verdict .plot ol { font-size: 8pt; line-height: 11pt; }
}
"""

STYLE = (
    BLOCK_STYLE
    + """
.verdict.page { max-width: 76rem; margin: 0 auto; padding: 1.2rem 1.5rem; }
.verdict figure { margin: 0; }
.verdict figure svg { width: 100%; max-width: 34rem; }
.verdict main { margin-top: 2.5rem; }
.verdict section { margin: 0 0 2.2rem; }
.verdict .beside { display: grid; grid-template-columns: minmax(0, 30rem) minmax(0, 1fr);
  gap: .5rem 2.5rem; align-items: start; }
.verdict .reason { font-weight: 600; }
.verdict section h3 { margin: 1.3rem 0 .5rem; }
.verdict .ae th { font-weight: 600; }
@media screen and (max-width: 60rem) {
  .verdict.page { padding: .7rem 1rem; }
  .verdict .beside { grid-template-columns: minmax(0, 1fr); gap: .6rem; }
}
@media print {
  .verdict.page { max-width: none; padding: 0; }
  .verdict main { margin-top: 8mm; }
  .verdict .question { break-inside: avoid; }
  .verdict .beside { grid-template-columns: minmax(0, 7.5cm) minmax(0, 1fr); gap: 0 6mm; }
}
"""
)
