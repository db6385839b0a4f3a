// The words of the text, each a button: to remove, to replace, to bring back.

import { find, make } from "./dom.js";

export class Words {
  // changed is called with the edits: by position, "" for a word that is removed.
  constructor(changed) {
    this.changed = changed;
    this.words = [];
    this.edits = {};
    this.position = null;
    this.buttons = [];
    find("remove").addEventListener("click", () => this.put(""));
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
    this.buttons = words.map((word, position) => this.button(word, position, unknown && unknown[position]));
    find("words").replaceChildren(...this.buttons.flatMap((button) => [button, " "]));
    find("undo").hidden = Object.keys(edits).length === 0;
    find("changing").hidden = false;
    if (this.position !== null && this.position >= words.length) this.close();
  }

  button(word, position, unknown) {
    const edit = this.edits[position];
    const shown = edit === undefined ? [word] : [make("del", {}, word)];
    if (edit) shown.push(" ", make("ins", {}, edit));
    const says = edit === undefined ? "" : edit ? `, replaced by ${edit}` : ", removed";
    return make(
      "button",
      {
        type: "button",
        class: unknown ? "x" : null,
        "aria-label": `${word}${says}`,
        onclick: () => this.open(position),
        onkeydown: (event) => {
          if (event.key !== "Delete" && event.key !== "Backspace") return;
          event.preventDefault();
          this.position = position;
          this.put(this.edits[position] === "" ? null : "");
        },
      },
      ...shown
    );
  }

  open(position) {
    this.position = position;
    find("edited").textContent = `“${this.words[position]}”`;
    find("instead").value = this.edits[position] ?? "";
    find("bring-back").hidden = this.edits[position] === undefined;
    find("remove").hidden = this.edits[position] === "";
    find("editing").hidden = false;
    this.buttons.forEach((button, each) => button.classList.toggle("open", each === position));
    find("instead").focus();
  }

  close() {
    find("editing").hidden = true;
    this.buttons.forEach((button) => button.classList.remove("open"));
    if (this.position !== null) this.buttons[this.position]?.focus();
    this.position = null;
  }

  put(word) {
    const edits = { ...this.edits };
    if (word === null || word === this.words[this.position]) delete edits[this.position];
    else edits[this.position] = word;
    const { position } = this;
    this.draw(this.words, edits);
    this.close();
    this.buttons[position]?.focus();
    this.changed(edits);
  }
}

// The words that are left, and those that stand for others.
export function changedWords(words, edits) {
  return words.flatMap((word, position) => {
    const edit = edits[position];
    return edit === undefined ? [word] : edit.split(/\s+/).filter(Boolean);
  });
}
