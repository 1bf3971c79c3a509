#!/usr/bin/env node
// An agent of the Agent Client Protocol that does what ACP_AGENT says: by method, a list of steps. What it hears goes to
// the file that HEARD names, if any, one message a line. SESSION names the file that keeps what it was told, which
// session/load repeats. With `leaves` it exits after its turn, so that nothing waits for its late words; with `stays` never. A question that is allowed makes the file that `makes` names. A second request of a method does the steps of "<method> again", if there are any.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const usual = {
  initialize: [{ result: { protocolVersion: 1, agentCapabilities: {} } }],
  "session/new": [{ result: { sessionId: "s-1" } }],
  "session/set_mode": [{ result: {} }],
  "session/set_config_option": [{ result: {} }],
  "session/prompt": [
    { update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Done." } } },
    { result: { stopReason: "end_turn", usage: { inputTokens: 5, outputTokens: 3, totalTokens: 8 } } },
  ],
};
const { stays = false, leaves = false, ...planned } = JSON.parse(process.env.ACP_AGENT ?? "{}");
const deeds = { ...usual, ...planned };

const { SESSION } = process.env;
const storePrompt = ({ prompt = [] }) => {
  if (SESSION) for (const { text } of prompt) appendFileSync(SESSION, `${JSON.stringify(text)}\n`);
};
const storedPrompts = () =>
  SESSION && existsSync(SESSION)
    ? readFileSync(SESSION, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line))
    : [];
const replay = () => {
  for (const text of storedPrompts())
    say({
      method: "session/update",
      params: { update: { sessionUpdate: "user_message_chunk", content: { type: "text", text } } },
    });
};
const stepsOf = (method) => {
  const isAgain = seen.has(method);
  seen.add(method);
  return (isAgain ? deeds[`${method} again`] : undefined) ?? deeds[method];
};
const seen = new Set();
const cancelled = { now: false };
const until = async (isMet) => {
  while (!isMet()) await new Promise((resolve) => setTimeout(resolve, 20));
};

let answered = () => {};
let asks = 100;

const act = async (id, steps) => {
  for (const step of steps) {
    if (step.update) say({ method: "session/update", params: { sessionId: "s-1", update: step.update } });
    if (step.ask) {
      asks += 1;
      const answer = new Promise((resolve) => {
        answered = resolve;
      });
      say({ id: asks, ...step.ask });
      const { outcome } = (await answer).result ?? {};
      if (step.makes && outcome?.optionId === "allow_once") writeFileSync(step.makes, "");
    }
    if (step.afterMs) await new Promise((resolve) => setTimeout(resolve, step.afterMs));
    if (step.file) await until(() => existsSync(step.file));
    if (step.cancel) await until(() => cancelled.now);
    if (step.replay) replay();
    if (step.raw !== undefined) process.stdout.write(step.raw);
    if (step.longLine) process.stdout.write(`${"x".repeat(step.longLine)}\n`);
    if (step.complain) process.stderr.write(`${step.complain}\n`);
    if (step.result) say({ id, result: step.result });
    if (step.error) say({ id, error: step.error });
    if (step.exit !== undefined) process.exit(step.exit);
  }
};

createInterface({ input: process.stdin })
  .on("line", (line) => {
    if (process.env.HEARD) appendFileSync(process.env.HEARD, `${line}\n`);
    const { id, method, params } = JSON.parse(line);
    if (method === "session/prompt" || method === "_session/steering") storePrompt(params);
    if (method === "session/cancel") cancelled.now = true;
    else if (method === undefined) answered(JSON.parse(line));
    else {
      const steps = stepsOf(method) ?? [{ error: { code: -32601, message: "Method not found" } }];
      const isTurn =
        leaves && method === "session/prompt" && steps.some(({ result, error }) => result ?? error);
      void act(id, steps).then(() => {
        if (isTurn) process.stdout.write("", () => process.exit(0));
      });
    }
  })
  .on("close", () => {
    if (stays) setInterval(() => {}, 60_000);
    else process.exit(0);
  });
