// The words of the text, each a button: to take out, to replace, to bring back.

import { find, make } from "./dom.js";

export class Words {
  // changed is called with the edits: by place, "" for a word that is taken out.
  constructor(changed) {
    this.changed = changed;
    this.words = [];
    this.edits = {};
    this.place = null;
    this.buttons = [];
    find("take-out").addEventListener("click", () => this.put(""));
    find("bring-back").addEventListener("click", () => this.put(null));
    find("cancel").addEventListener("click", () => this.close());
    find("undo").addEventListener("click", () => {
      this.edits = {};
      this.close();
      this.changed({});
    });
    find("editing").addEventListener("submit", (event) => {
      event.preventDefault();
      const word = find("instead").value.trim();
      if (word) this.put(word);
    });
    find("editing").addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
    });
  }

  draw(words, edits, unknown) {
    this.words = words;
    this.edits = { ...edits };
    this.buttons = words.map((word, place) => this.button(word, place, unknown && unknown[place]));
    find("words").replaceChildren(...this.buttons.flatMap((button) => [button, " "]));
    find("undo").hidden = Object.keys(edits).length === 0;
    find("changing").hidden = false;
    if (this.place !== null && this.place >= words.length) this.close();
  }

  button(word, place, unknown) {
    const edit = this.edits[place];
    const shown = edit === undefined ? [word] : [make("del", {}, word)];
    if (edit) shown.push(" ", make("ins", {}, edit));
    const says = edit === undefined ? "" : edit ? `, replaced by ${edit}` : ", taken out";
    return make(
      "button",
      {
        type: "button",
        class: unknown ? "x" : null,
        "aria-label": `${word}${says}`,
        onclick: () => this.open(place),
        onkeydown: (event) => {
          if (event.key !== "Delete" && event.key !== "Backspace") return;
          event.preventDefault();
          this.place = place;
          this.put(this.edits[place] === "" ? null : "");
        },
      },
      ...shown
    );
  }

  open(place) {
    this.place = place;
    find("edited").textContent = `“${this.words[place]}”`;
    find("instead").value = this.edits[place] ?? "";
    find("bring-back").hidden = this.edits[place] === undefined;
    find("take-out").hidden = this.edits[place] === "";
    find("editing").hidden = false;
    this.buttons.forEach((button, each) => button.classList.toggle("open", each === place));
    find("instead").focus();
  }

  close() {
    find("editing").hidden = true;
    this.buttons.forEach((button) => button.classList.remove("open"));
    if (this.place !== null) this.buttons[this.place]?.focus();
    this.place = null;
  }

  put(word) {
    const edits = { ...this.edits };
    if (word === null || word === this.words[this.place]) delete edits[this.place];
    else edits[this.place] = word;
    const { place } = this;
    this.draw(this.words, edits);
    this.close();
    this.buttons[place]?.focus();
    this.changed(edits);
  }
}

// The words that are left, and those that stand for others.
export function changedWords(words, edits) {
  return words.flatMap((word, place) => {
    const edit = edits[place];
    return edit === undefined ? [word] : edit.split(/\s+/).filter(Boolean);
  });
}
