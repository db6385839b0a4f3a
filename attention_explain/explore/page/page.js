// The page: what is asked, in which order, and what is remembered in its address.

import { get } from "./ask.js";
import { offerTexts } from "./data.js";
import { find, make, percent } from "./dom.js";
import { fromFragment, toFragment } from "./link.js";
import { ModelPanel, namedWords } from "./model.js";
import { showVerdict } from "./verdict.js";
import { Words, changedWords } from "./words.js";

let about = null;
let panels = [];
let state = fromFragment(location.hash);
// The words of the text as the first model reads it, without edits.
let words = [];
// Whoever finds that it is no longer the last stops.
let turn = 0;

const editor = new Words((edits) => {
  state.edits = edits;
  forget();
  show();
});

function say(sentence, isError = false) {
  find("said").textContent = sentence;
  find("said").classList.toggle("error", isError);
}

// For who reads by ear, and for tests: whether more is to come.
function busy(isBusy) {
  document.querySelector("main").setAttribute("aria-busy", String(isBusy));
}

function remember() {
  history.replaceState(null, "", toFragment(state));
}

// What was done by hand belongs to the text that it was done to.
function forget() {
  state.weights = [null, null];
  state.off = [[], []];
}

function methods() {
  const known = new Set(panels.flatMap((panel) => panel.about.methods.map((each) => each.name)));
  const first = about.models.flatMap((model) => model.methods.filter((each) => each.shown));
  const chosen = state.methods ?? [...new Set(first.map((each) => each.name))];
  return chosen.filter((name) => known.has(name));
}

function plain() {
  const query = about.models[0].pairs ? { query: state.query } : {};
  const target = state.target ? { target: state.target } : {};
  const text = state.spaced ? { words: state.text.split(" ") } : { text: state.text };
  return { ...text, ...query, ...target };
}

function edited() {
  const { text, words: spaced, ...others } = plain();
  return { ...others, words: changedWords(words, state.edits) };
}

async function show() {
  const mine = ++turn;
  const current = () => mine === turn;
  busy(false);
  if (!state.text.trim()) {
    say("Type a text, and press Explain.");
    return;
  }
  if (new Blob([state.text]).size > about.most_bytes) {
    say(`The text is too long: this page takes up to ${about.most_words} words, and ${about.most_bytes} bytes.`, true);
    return;
  }
  remember();
  say("…");
  busy(true);
  const isEdited = Object.keys(state.edits).length > 0;
  for (const [number, panel] of panels.entries()) {
    try {
      if (number === 0) words = [];
      let given = plain();
      let before = null;
      if (isEdited && number === 0) {
        const found = await panel.read(given);
        if (!current()) return;
        words = found.tokens;
        editor.draw(words, state.edits, found.unknown);
      }
      if (isEdited) {
        before = given;
        given = edited();
      }
      const found = await panel.predict(given, before, state.weights[number], state.off[number]);
      if (!current()) return;
      if (number === 0 && !isEdited) {
        words = found.tokens;
        editor.draw(words, {}, found.unknown);
      }
      panel.draw(methods(), state.by, state.share);
    } catch (error) {
      if (!current()) return;
      panel.fail(error.message);
      if (number === 0 && !words.length) find("changing").hidden = true;
    }
  }
  find("controls").hidden = find("legend").hidden = !panels.some((panel) => panel.found);
  await explain(mine);
}

// The methods one after the other, each shown as soon as it is there.
async function explain(mine) {
  const current = () => mine === turn;
  busy(true);
  drawControls();
  for (const method of methods()) {
    for (const panel of panels) {
      if (!panel.found || !panel.has(method)) continue;
      try {
        say(`${method} …`);
        await panel.explain(method);
      } catch (error) {
        if (!current()) return;
        panel.scores[method] = { scores: null, reason: error.message };
      }
      if (!current()) return;
      panel.draw(methods(), state.by, state.share);
    }
  }
  const error = await nameWords(mine);
  if (!current()) return;
  say(error, true);
  busy(false);
}

// What went wrong, if anything.
async function nameWords(mine) {
  for (const panel of panels) {
    if (!panel.found) continue;
    try {
      await panel.name(methods(), state.share, state.by);
    } catch (error) {
      return error.message;
    }
    if (mine !== turn) return "";
    panel.draw(methods(), state.by, state.share);
  }
  return "";
}

// Controls -------------------------------------------------------------------------------------------

function drawControls() {
  const shown = methods();
  find("chosen").textContent = shown.join(", ") || "none";
  for (const box of find("methods").querySelectorAll("input")) box.checked = shown.includes(box.value);
  for (const each of document.querySelectorAll("[name=by]")) each.checked = each.value === state.by;
  find("share").value = Math.round(100 * state.share);
  const length = panels.find((panel) => panel.found)?.found.tokens.length ?? 0;
  const count = namedWords(state.share, length);
  find("shared").value = state.share ? `${percent(state.share)}: ${count} of ${length}` : "off";
  find("target").value = state.target;
}

// Only when the texts come from elsewhere: nobody's typing is to be overwritten.
function fillIn() {
  find("text").value = state.text;
  find("query").value = state.query;
  drawControls();
}

function again() {
  remember();
  drawControls();
  const mine = ++turn;
  for (const panel of panels) panel.draw(methods(), state.by, state.share);
  explain(mine);
}

function pick(text) {
  // Words alone do not say where white space is.
  state.text = text.text ?? text.words.join(" ");
  state.spaced = text.text === null;
  state.query = text.query ?? "";
  state.edits = {};
  forget();
  fillIn();
  show();
}

function wire() {
  find("asking").addEventListener("submit", (event) => {
    event.preventDefault();
    if (find("text").value !== state.text) {
      state.spaced = false;
      find("pick").value = "";
    }
    state.text = find("text").value;
    state.query = find("query").value;
    state.edits = {};
    forget();
    show();
  });
  for (const box of [find("text"), find("query")]) {
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      find("asking").requestSubmit();
    });
  }
  find("target").addEventListener("change", (event) => {
    state.target = event.target.value;
    show();
  });
  find("share").addEventListener("input", (event) => {
    state.share = Number(event.target.value) / 100;
    again();
  });
  for (const each of document.querySelectorAll("[name=by]")) {
    each.addEventListener("change", () => {
      state.by = each.value;
      again();
    });
  }
  find("copy").addEventListener("click", copy);
  window.addEventListener("hashchange", () => {
    state = fromFragment(location.hash);
    fillIn();
    show();
  });
}

async function copy() {
  remember();
  try {
    await navigator.clipboard.writeText(location.href);
    find("copy").textContent = "Copied";
  } catch {
    find("copy").textContent = "Copy it from the address";
  }
  setTimeout(() => (find("copy").textContent = "Copy link to this"), 2000);
}

function offerMethods() {
  const all = new Map(about.models.flatMap((model) => model.methods.map((each) => [each.name, each])));
  for (const [name, method] of all) {
    const box = make("input", {
      type: "checkbox",
      value: name,
      onchange: () => {
        const chosen = [...find("methods").querySelectorAll("input:checked")].map((each) => each.value);
        state.methods = chosen;
        again();
      },
    });
    const cost = method.slow ? "slow" : "";
    find("methods").append(make("label", { title: method.passes }, box, ` ${name} `, make("small", {}, cost)));
  }
}

async function start() {
  try {
    about = await get("/about");
  } catch (error) {
    say(error.message, true);
    return;
  }
  const names = about.models.map((model) => model.name);
  find("names").textContent = names.join(" and ");
  document.title = `Explore ${names.join(" and ")}`;
  panels = about.models.map(
    (model, number) =>
      new ModelPanel(number, model, about.models.length > 1, (name, value) => {
        state[name][number] = value;
        remember();
      })
  );
  find("models").className = panels.length > 1 ? "two" : "";
  find("models").append(...panels.map((panel) => panel.element));
  const [first] = about.models;
  find("querying").hidden = !first.pairs;
  if (first.reads_words) find("text-label").textContent = "Text, its words between spaces";
  find("target").append(
    make("option", { value: "" }, "that is predicted"),
    ...first.labels.map((label) => make("option", { value: label }, label))
  );
  offerMethods();
  wire();
  fillIn();
  if (about.verdict) showVerdict(about.verdict, about.evidence);
  if (state.text || !about.data) show();
  if (about.data) {
    try {
      const texts = await offerTexts(about.misleading, pick);
      if (!state.text && !find("text").value && texts.length) pick(texts[0]);
    } catch (error) {
      say(error.message, true);
    }
  }
}

start();
