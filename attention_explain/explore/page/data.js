// The texts of the data file: to pick from, and those on which attention misleads most.

import { get, post } from "./ask.js";
import { find, make, number } from "./dom.js";

const LONGEST = 70;
const PAUSE = 500;
const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// picked is called with a text of the list.
export async function offerTexts(misleading, picked) {
  let found = await get("/texts");
  while (found.reading) {
    await wait(PAUSE);
    found = await get("/texts");
  }
  const { texts } = found;
  find("pick").replaceChildren(
    make("option", { value: "" }, `${texts.length} texts of ${found.data}`),
    ...texts.map((text, position) => make("option", { value: position }, inShort(text)))
  );
  find("pick").addEventListener("change", (event) => {
    if (event.target.value !== "") picked(texts[Number(event.target.value)]);
  });
  find("picking").hidden = false;
  if (misleading) find("misleading").addEventListener("toggle", () => search(texts, picked));
  find("misleading").hidden = !misleading;
  return texts;
}

function inShort(text) {
  const words = text.words.join(" ");
  const shown = words.length > LONGEST ? `${words.slice(0, LONGEST)} …` : words;
  return text.label === null ? shown : `${shown} (${text.label})`;
}

let searching = false;

async function search(texts, picked) {
  if (searching) return;
  searching = true;
  let found = { searched: -1, of: 0 };
  while (found.searched < found.of) {
    try {
      found = await post("/misleading");
    } catch (error) {
      find("searched").textContent = error.message;
      searching = false;
      return;
    }
    show(found, texts, picked);
    if (!find("misleading").open) {
      searching = false;
      return;
    }
    // Others are to have their turn.
    await wait(PAUSE / 10);
  }
}

function show(found, texts, picked) {
  const done = found.searched === found.of ? "" : " so far";
  find("searched").textContent =
    `Of ${found.searched}${done} that were looked at: the label is as likely without the words that attention ` +
    "names first (one in five), and not without as many that deleting them one by one names.";
  find("misleading")
    .querySelector("ol")
    .replaceChildren(
      ...found.texts.map((each) =>
        make(
          "li",
          {},
          make("button", { type: "button", dir: "auto", onclick: () => picked(texts[each.position]) }, inShort(texts[each.position])),
          make(
            "span",
            { class: "note" },
            `label ${each.label}: ${number(each.whole)}; without attention's words ${number(each.by_attention)}, ` +
              `without the others ${number(each.by_deleting)}`
          )
        )
      )
    );
}
