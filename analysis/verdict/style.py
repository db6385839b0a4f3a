"""The style sheet of the verdict, over that of the report: on a wide screen, on a phone, on paper."""

STYLE = """
.verdict { max-width: 76rem; margin: 0 auto; padding: 1.5rem; }
.verdict header { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
  gap: 1rem 2.5rem; align-items: center; }
.verdict h1 { font-size: 1.35rem; font-weight: 600; line-height: 1.3; margin: 0 0 .8rem; }
.verdict .answer { font-size: 3rem; font-weight: 700; line-height: 1.1; margin: 0 0 .7rem; }
.verdict .because { font-size: 1.15rem; }
.verdict .instead { font-size: 1.15rem; font-weight: 600; margin: 0; }
.verdict figure { margin: 0; }
.verdict figure svg { width: 100%; max-width: 34rem; }
.verdict .answers { grid-column: 1 / -1; list-style: none; margin: .5rem 0 0; padding: 0;
  display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)); gap: .8rem; }
.verdict .answers li { border-top: 4px solid; padding: .5rem 0 0; }
.verdict .answers a { display: block; color: #1b1b1b; text-decoration: none; font-size: .95rem; }
.verdict .answers a:hover { text-decoration: underline; }
.verdict .answers b { font-size: 1.25rem; line-height: 1.25; display: block; }
.verdict .yes { color: #0b4f8a; }
.verdict .no { color: #a33b00; }
.verdict .partly { color: #6b5300; }
.verdict .unknown { color: #4a4a4a; }
.verdict .answers .unknown { border-top-style: dashed; }
.verdict main { margin-top: 2.5rem; }
.verdict section { margin: 0 0 2.2rem; }
.verdict .beside { display: grid; grid-template-columns: minmax(0, 30rem) minmax(0, 1fr);
  gap: .5rem 2.5rem; align-items: start; }
.verdict .reason { font-weight: 600; }
.verdict section h3 { margin: 1.3rem 0 .5rem; }
.verdict .ae th { font-weight: 600; }
@media screen and (max-width: 60rem) {
  .verdict { padding: .8rem 1rem; }
  .verdict header, .verdict .beside { grid-template-columns: minmax(0, 1fr); gap: .6rem; }
  .verdict h1 { font-size: 1.02rem; margin: 0 0 .35rem; }
  .verdict .answer { font-size: 1.9rem; margin: 0 0 .3rem; }
  .verdict .because, .verdict .instead { font-size: .95rem; line-height: 1.35; }
  .verdict .because { margin: 0 0 .35rem; }
  .verdict .answers { grid-template-columns: minmax(0, 1fr); gap: 0; margin: 0; }
  .verdict .answers li { display: flex; justify-content: space-between; gap: .8rem;
    align-items: baseline; border-top: 1px solid #d9d9d9; padding: .22rem 0; }
  .verdict .answers b { font-size: .98rem; text-align: right; }
}
@media print {
  .verdict { max-width: none; padding: 0; }
  .verdict main { margin-top: 8mm; }
  .verdict .question { break-inside: avoid; }
  .verdict .answer { font-size: 24pt; }
  .verdict .because, .verdict .instead { font-size: 11pt; }
  .verdict .beside { grid-template-columns: minmax(0, 7.5cm) minmax(0, 1fr); gap: 0 6mm; }
  .verdict .answers b { font-size: 11pt; }
}
"""
