/**
 * What runs in the process of a stranger's package, as text, because it must run from sources and from a bundle alike.
 * It speaks JSON over the channel of Node's child processes; the other end is plugin-host.ts.
 */
export const hostProgram = `
const said = (message) => { if (process.connected) process.send(message); };
const controllers = new Map();
const waiting = new Map();
const lineReaders = new Map();
let adapter = null;
let seq = 0;
process.on("disconnect", () => process.exit(0));

const optional = ["listModels", "listSkills", "syncSkills", "detectModel"];

const open = async ({ entry }) => {
  let root;
  try { root = await import(entry); }
  catch (cause) { throw new Error("Its code cannot be loaded: " + (cause && cause.message || cause)); }
  if (typeof root.createServerAdapter === "function") {
    try { adapter = await root.createServerAdapter(); }
    catch (cause) { throw new Error("createServerAdapter failed: " + (cause && cause.message || cause)); }
  }
  const given = (of) => of && typeof of === "object" ? of : {};
  const methods = Object.keys(given(adapter)).filter((key) => typeof adapter[key] === "function");
  const plain = ({ type, label, models, agentConfigurationDoc, agentSettableKeys }) =>
    ({ type, label, models, agentConfigurationDoc, agentSettableKeys });
  return { exported: { root: plain(root), creates: typeof root.createServerAdapter === "function",
    adapter: adapter && typeof adapter === "object" ? plain(adapter) : null }, methods };
};

const callBack = (id, name, args) => new Promise((resolve, reject) => {
  seq += 1;
  waiting.set(seq, { resolve, reject });
  said({ of: id, name, args, seq });
});

const contextOf = ({ id, context, functions }) => {
  const controller = new AbortController();
  controllers.set(id, controller);
  const made = { ...context, signal: controller.signal };
  for (const name of functions) made[name] = (...args) => callBack(id, name, args);
  if (functions.includes("runProcess")) made.runProcess = async ({ onStdoutLine, ...spec }) => {
    if (typeof onStdoutLine !== "function") return callBack(id, "runProcess", [spec]);
    seq += 1;
    const lines = seq;
    lineReaders.set(lines, (line) => {
      if (onStdoutLine(line) === true) { lineReaders.set(lines, onStdoutLine); callBack(id, "over" + lines, []).catch(() => {}); }
    });
    try { return await callBack(id, "runProcess", [{ ...spec, lines }]); } finally { lineReaders.delete(lines); }
  };
  return made;
};

process.on("message", async (message) => {
  if (message.ping) return said({ pong: true });
  if (message.abort !== undefined) return controllers.get(message.abort)?.abort();
  if (message.line !== undefined) {
    try { lineReaders.get(message.spec)?.(message.line); } catch {}
    return;
  }
  if (message.seq !== undefined) {
    const call = waiting.get(message.seq);
    waiting.delete(message.seq);
    if (message.error !== undefined) call?.reject(new Error(message.error));
    else call?.resolve(message.value);
    return;
  }
  const { id, method, more } = message;
  try {
    const value = method === "open" ? await open(message.context) : await adapter[method](contextOf(message), ...more);
    said({ id, value: value === undefined ? null : value });
  } catch (error) {
    said({ id, error: String(error && error.message || error) });
  } finally {
    controllers.delete(id);
  }
});
`;
