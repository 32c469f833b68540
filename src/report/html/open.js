// A document of one run. Two such documents of one run have one stamp: one that is watched looks at its file again in a frame, which says
// its stamp and no more.
(() => {
  'use strict';
  const text = document.getElementById('data').textContent;
  let h = 0;
  for (let i = 0; i < text.length; i += 1) h = (Math.imul(h, 31) + text.charCodeAt(i)) | 0;
  const stamp = `syncscope ${text.length} ${h}`;
  if (window.top !== window && location.hash === '#stamp') parent.postMessage(stamp, '*');
  else syncscopePage(document.getElementById('app'), JSON.parse(text), { alone: true, stamp });
})();
