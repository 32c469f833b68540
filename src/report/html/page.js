// A run in an element, which is `root`: `page(root, data, options)` shows it, `update(data)` shows another in its place and keeps what is
// looked at. Several may be in one document; each is in a shadow tree of its own, since parts of it are found by their ids.
// Options: `alone`: the document is about this run, and its address and keys belong to it; `theme`: `light` or `dark`; `stamp`: what the
// file of the page is told from another by.
function page(root, data, options = {}) {
  let now = shown(root, data, options);
  return {
    update(next) { const kept = now.leave(); now = shown(root, next, { ...options, kept }); },
    set: (change) => now.set(change),
    leave() { now.leave(); root.replaceChildren(); },
  };
}
