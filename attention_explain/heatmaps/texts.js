// Sorts and filters the texts of a page. Without it the page has them all, in the order of the data.
(function () {
  "use strict";
  const controls = document.querySelector(".controls");
  const place = document.querySelector("main");
  if (!controls || !place) return;
  const sort = controls.querySelector("[name=sort]");
  const shown = controls.querySelector("[name=shown]");
  const words = controls.querySelector("[name=words]");
  const said = controls.querySelector("output");

  const texts = [...place.querySelectorAll("article")].map((article, order) => ({
    article,
    order,
    disputed: Number(article.dataset.disputed || 0),
    wrong: Number(article.dataset.wrong === "1"),
    words: Number(article.dataset.words || 0),
    // Found when it is first asked for: a page may have thousands of texts.
    content: null,
  }));

  function contentOf(text) {
    if (text.content === null) {
      // Every method repeats the words: one row has them all.
      const parts = text.article.querySelectorAll("h2, .prediction > span, tr:last-child td");
      text.content = [...parts].map((part) => part.textContent).join(" ").toLowerCase();
    }
    return text.content;
  }

  function isShown(text, wanted) {
    if (shown.value === "wrong" && !text.wrong) return false;
    if (shown.value === "right" && text.wrong) return false;
    return wanted.every((word) => contentOf(text).includes(word));
  }

  function arrange() {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const by = sort.value;
    // Equal ones stay in the order of the data.
    const ordered = by ? [...texts].sort((a, b) => b[by] - a[by] || a.order - b.order) : texts;
    let number = 0;
    for (const text of ordered) {
      text.article.hidden = !isShown(text, wanted);
      if (!text.article.hidden) number += 1;
    }
    place.append(...ordered.map((text) => text.article));
    said.textContent = `${number} of ${texts.length} texts`;
  }

  for (const control of [sort, shown]) control.addEventListener("change", arrange);
  let waiting = 0;
  words.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(arrange, 150);
  });
  controls.hidden = false;
  arrange();
})();
