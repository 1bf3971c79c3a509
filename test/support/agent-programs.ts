/** A program for the `process` adapter: JavaScript with `call`, `say` and the environment. */
export const nodeAgent = (body: string) => ({
  command: process.execPath,
  args: [
    "--input-type=module",
    "-e",
    `
const { SERVICE_API_URL: api, SERVICE_API_KEY: token, SERVICE_TASK_ID: task, SERVICE_AGENT_ID: me, SERVICE_RUN_ID: run } = process.env;
const call = async (method, path, body) => {
  const answer = await fetch(api + path, {
    method,
    headers: { authorization: "Bearer " + token, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === "" ? null : JSON.parse(text) };
};
${body}`,
  ],
});

/** Checks out its task, comments and finishes it. */
export const dutifulAgent = nodeAgent(`
const claimed = await call("POST", "/api/issues/" + task + "/checkout", { agentId: me, expectedStatuses: ["todo", "in_progress"] });
console.log("claimed " + claimed.body.identifier + " with " + claimed.status);
await call("POST", "/api/issues/" + task + "/comments", { body: "Looked into it." });
const done = await call("PATCH", "/api/issues/" + task, { status: "done", comment: "That was it." });
console.log("finished with " + done.status);
`);
