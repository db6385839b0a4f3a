// Elements. Texts of people become text nodes, never markup.

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export const find = (id) => document.getElementById(id);

export const percent = (share) => `${Math.round(100 * share)} %`;

// As everywhere in the project: three digits.
export const number = (value) => value.toFixed(3).replace(/^-0\.000$/, "0.000");
