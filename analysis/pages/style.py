"""The style sheet of the report: on a wide screen, on a phone, on paper."""

STYLE = """
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; color: #1b1b1b; background: #fff; line-height: 1.5; color-scheme: light;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
a { color: #0b4f8a; }
a:focus-visible, summary:focus-visible, .scroll:focus-visible { outline: 2px solid #0b4f8a;
  outline-offset: 2px; }
.layout { display: grid; grid-template-columns: 15rem minmax(0, 1fr); column-gap: 2.5rem;
  grid-template-areas: "nav header" "nav main"; grid-template-rows: auto 1fr;
  max-width: 84rem; margin: 0 auto; padding: 1.5rem; }
header { grid-area: header; }
main { grid-area: main; min-width: 0; }
nav { grid-area: nav; align-self: start; position: sticky; top: 0; max-height: 100vh;
  overflow-y: auto; padding: .4rem .5rem 1rem 0; font-size: .88rem; }
nav ol { list-style: none; margin: 0; padding: 0; }
nav > ol > li { margin: 0 0 .55rem; font-weight: 600; }
nav ol ol { font-weight: 400; border-left: 2px solid #e3e3e3; padding-left: .6rem; }
nav ol ol a { color: #4a4a4a; }
nav a { text-decoration: none; overflow-wrap: anywhere; }
nav a:hover { text-decoration: underline; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.3rem; margin: 0 0 .6rem; padding-top: .6rem; border-top: 2px solid #1b1b1b; }
h3 { font-size: 1.08rem; margin: 0 0 .3rem; }
h4 { font-size: .95rem; margin: 1.1rem 0 .4rem; }
h1, h2, h3, h4, p, li { overflow-wrap: anywhere; }
p { margin: 0 0 .6rem; max-width: 52rem; }
.question { font-size: 1.05rem; }
.about, .note, .files, .agreement { color: #4a4a4a; font-size: .88rem; }
.note { max-width: 52rem; }
.files { overflow-wrap: anywhere; }
code { font-size: .95em; }
.level2 { margin: 2rem 0 0; }
.level3 { margin: 1.4rem 0 2rem; }
.findings { margin: 0; padding: 0; list-style: none; max-width: 56rem; }
.findings li { border-left: 4px solid #0b4f8a; background: #f2f6fa; margin: 0 0 .6rem;
  padding: .6rem .9rem; font-size: 1.05rem; }
.where { font-size: .85rem; margin-left: .3rem; }
.warning { border: 1px solid #1b1b1b; border-left-width: 4px; padding: .5rem .8rem; }
.warning::before { content: "Left out: "; font-weight: 700; }
/* A shadow at the side where there is more to see. */
.scroll { overflow-x: auto; max-width: 100%; background:
  linear-gradient(to right, #fff 40%, #fff0) left / 3rem 100% local no-repeat,
  linear-gradient(to left, #fff 40%, #fff0) right / 3rem 100% local no-repeat,
  linear-gradient(to right, #0003, #0000) left / .7rem 100% scroll no-repeat,
  linear-gradient(to left, #0003, #0000) right / .7rem 100% scroll no-repeat; }
.scroll table { border-collapse: collapse; font-size: .86rem; font-variant-numeric: tabular-nums;
  margin: 0 0 .3rem; }
.scroll th, .scroll td { text-align: left; padding: .28rem .8rem .28rem 0; white-space: nowrap;
  vertical-align: baseline; }
.scroll .sentence { white-space: normal; min-width: 15rem; }
.scroll td:last-child, .scroll th:last-child { padding-right: 0; }
.scroll th { border-top: 1.5px solid #1b1b1b; border-bottom: 1px solid #1b1b1b; }
.scroll tbody tr + tr td { border-top: 1px solid #ececec; }
.scroll tbody tr:hover td { background: #0000000d; }
.scroll tbody:last-child { border-bottom: 1.5px solid #1b1b1b; }
.scroll .number { text-align: right; }
.long > input { position: absolute; opacity: 0; pointer-events: none; }
.long > label { display: inline-block; cursor: pointer; color: #0b4f8a; font-size: .88rem;
  text-decoration: underline; margin: .1rem 0 .5rem; }
.long > input:focus-visible ~ label { outline: 2px solid #0b4f8a; outline-offset: 2px; }
.long > input:not(:checked) ~ .scroll .more, .long > input:checked ~ label .closed,
.long > input:not(:checked) ~ label .opened { display: none; }
figure { margin: 0 0 .4rem; }
figure svg { display: block; max-width: 100%; height: auto; }
figcaption { margin-top: .4rem; }
figcaption .caption { color: #1b1b1b; font-size: .9rem; }
details { margin: 0 0 .5rem; }
summary { cursor: pointer; color: #0b4f8a; font-size: .92rem; overflow-wrap: anywhere; }
pre { font-size: .8rem; line-height: 1.4; background: #f6f6f6; padding: .6rem .8rem; margin: 0 0 .6rem;
  white-space: pre-wrap; overflow-wrap: anywhere; }
.ae .agreement { margin: 0 0 .25rem; }
/* There are few: nothing is gained by drawing them late. */
.ae article { content-visibility: visible; }

@media (max-width: 60rem) {
  .layout { grid-template-columns: minmax(0, 1fr); padding: 1rem; row-gap: .8rem;
    grid-template-areas: "header" "nav" "main"; grid-template-rows: none; }
  nav { position: static; max-height: none; padding: .5rem 0; border: solid #e3e3e3;
    border-width: 1px 0; }
  nav > ol { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; }
  nav > ol > li { margin: 0; }
  /* The parts of each section would push everything else off a phone's first screen. */
  nav ol ol { display: none; }
  h1 { font-size: 1.45rem; }
}
@media (max-width: 40rem) {
  /* Letters in a figure stay readable; its box scrolls. */
  figure svg { max-width: none; }
}
@media print {
  @page { margin: 15mm; }
  html { font-size: 10pt; }
  .level3:not(:has(.long, article, details)) { break-inside: avoid; }
  .layout { display: block; max-width: none; padding: 0; }
  nav { position: static; max-height: none; overflow: visible; columns: 2; font-size: 9pt;
    margin: 0 0 6mm; }
  nav > ol, nav ol ol { display: block; }
  nav li { break-inside: avoid; }
  a { color: inherit; text-decoration: none; }
  h1, h2, h3, h4, h5, summary, .caption, .agreement { break-after: avoid; }
  figure, tr, .findings li, .warning { break-inside: avoid; }
  figure svg { max-width: 100%; max-height: 22cm; }
  thead { display: table-header-group; }
  .scroll { overflow: visible; background: none; }
  .scroll table { font-size: 6.5pt; line-height: 1.3; width: 100%; }
  .wide table { font-size: 5.5pt; }
  .scroll th, .scroll td { white-space: normal; padding: .15em .8em .15em 0; }
  .scroll :is(th, td):not(.number) { overflow-wrap: anywhere; min-width: 6em; }
  .scroll td.number { white-space: nowrap; }
  /* Paper cannot be opened: everything is. */
  .long > input:not(:checked) ~ .scroll .more { display: table-row; }
  .long > label, .files { display: none; }
  details::details-content { content-visibility: visible; display: block; height: auto; }
  pre { font-size: 6.5pt; background: none; padding: 0; }
  details pre { columns: 3; column-rule: 1px solid #d9d9d9; }
}
"""
