// Turns a line of output into entries of the transcript. It runs in a sandbox without access to anything. What an agent
// says is not to be trusted: show it, never evaluate it.
module.exports.parseStdoutLine = (line, ts) =>
  line.trim() === "" ? [] : [{ kind: "assistant", ts, text: line }];
