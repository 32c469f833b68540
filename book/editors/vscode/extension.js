// Starts `syncscope lsp` and hands it the texts of its languages.
const { commands, window, workspace } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

// What the user says where, as the program's arguments.
function serverArguments(settings) {
  const given = ['profile', 'lowering', 'book'].filter((name) => settings.get(name));
  return ['lsp', ...given.flatMap((name) => [`--${name}`, settings.get(name)])];
}

function makeClient() {
  const settings = workspace.getConfiguration('syncscope');
  const server = { command: settings.get('path'), args: serverArguments(settings) };
  const languages = ['syncscope-scenario', 'syncscope-litmus', 'syncscope-rules'];
  const options = {
    documentSelector: [
      ...languages.map((language) => ({ language })),
      { language: 'toml', pattern: settings.get('profiles') },
    ],
    synchronize: { fileEvents: workspace.createFileSystemWatcher('**/*.{litmus,lower,toml}') },
  };
  return new LanguageClient('syncscope', 'syncscope', server, options);
}

async function start() {
  client = makeClient();
  try {
    await client.start();
  } catch (error) {
    const path = workspace.getConfiguration('syncscope').get('path');
    window.showErrorMessage(`${path} lsp does not start: set "syncscope.path". ${error.message}`);
  }
}

async function stop() {
  const old = client;
  client = undefined;
  if (old) await old.stop();
}

async function activate(context) {
  const again = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(
    commands.registerCommand('syncscope.restart', again),
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('syncscope')) return again();
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
