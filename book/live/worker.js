// The module, in a thread of its own: a text that takes long holds no page up. The first message is the module, each other a question.

// `module` is a promise: a question may come while it is being compiled.
let module = null, instance = null;

onmessage = async ({ data }) => {
  if (data.bytes) {
    module = WebAssembly.compile(data.bytes);
    return;
  }
  postMessage({ number: data.number, ...(await answer(data.question)) });
};

async function answer(question) {
  try {
    instance ??= (await WebAssembly.instantiate(await module, {})).exports;
    const began = performance.now();
    const text = new TextEncoder().encode(question);
    const at = instance.room(text.length);
    new Uint8Array(instance.memory.buffer, at, text.length).set(text);
    const size = instance.answer();
    // The memory is another object after it has grown.
    const answer = JSON.parse(new TextDecoder().decode(new Uint8Array(instance.memory.buffer, instance.place(), size)));
    return { answer, took: performance.now() - began };
  } catch (error) {
    // What failed in the middle is not asked again.
    instance = null;
    return { answer: { unusable: `the program has failed on this text: ${error.message}` }, took: 0 };
  }
}
