// Questions to the server, which answers one after the other; errors come as text.

async function answer(response) {
  const found = await response.json().catch(() => ({ error: response.statusText }));
  if (!response.ok) throw new Error(found.error || response.statusText);
  return found;
}

const GONE = "The program that serves this page does not answer: it was ended, or is being started.";

async function fetched(...request) {
  let response;
  try {
    response = await fetch(...request);
  } catch {
    throw new Error(GONE);
  }
  return answer(response);
}

export const get = (path) => fetched(path);

export const post = (path, body = {}) =>
  fetched(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });

// Of a question that follows a moving hand: one at a time, and of those that wait only the last.
export function following(asked) {
  let busy = false;
  let next = null;
  return async function follow(...given) {
    next = given;
    if (busy) return;
    busy = true;
    try {
      while (next !== null) {
        const now = next;
        next = null;
        await asked(...now);
      }
    } finally {
      busy = false;
    }
  };
}
