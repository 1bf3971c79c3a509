import { afterAll, beforeAll, expect } from "vitest";
import { messageFor } from "../support/mcp.ts";
import { type AttackedService, attackedService } from "./attacked-service.ts";
import { tools } from "./attempts/tools.ts";
import { carryOut } from "./carry-out.ts";

let attacked: AttackedService;
let companyId: string;

/** For the program: calls a tool, and returns its answer. */
const use = `const use = async (name, args) => {
  const answer = await fetch(api + "/mcp", {
    method: "POST",
    headers: {
      authorization: "Bearer " + token,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-06-18",
    },
    body: JSON.stringify({ ...${JSON.stringify(messageFor("2025-06-18", "tools/call"))}, params: { name, arguments: args } }),
  });
  const { isError = false, content } = JSON.parse(/^data: (.*)$/m.exec(await answer.text())[1]).result;
  return { isError, text: content[0].text };
};`;

interface Used {
  readonly isError: boolean;
  readonly text: string;
}

carryOut(
  tools,
  ["root", "user"],
  {
    "foreign-through-tools": async () => {
      const { board } = attacked;
      const other = await board.companies.create({ name: "Others" });
      const { id: agentId } = await board.agents.create({
        companyId: other.id,
        name: "Eve",
        adapterType: "process",
      });
      const issue = await board.issues.create({ companyId: other.id, title: "Our plan for the harbour" });
      const answers = (await attacked.attempt(
        companyId,
        `${use}
        const issueId = "${issue.id}";
        const used = [];
        for (const [name, args] of [
          ["my_task", {}],
          ["check_out", {}],
          ["comment", { body: "Mine." }],
          ["finish_task", { status: "cancelled" }],
          ["hand_over", { assigneeAgentId: me }],
          ["ask_board", { prompt: "Whose?" }],
          ["read_document", { key: "plan" }],
          ["write_document", { key: "plan", body: "Mine." }],
          ["attach_file", { filename: "f", text: "Mine." }],
        ]) used.push(await use(name, { ...args, issueId }));
        used.push(await use("create_subtask", { title: "Mine", parentId: issueId }));
        used.push(await use("propose_hire", { name: "Mine", reportsTo: "${agentId}" }));
        for (const [name, args] of [
          ["issues.get", { issueId }],
          ["issues.list", { companyId: "${other.id}" }],
          ["agents.get", { agentId: "${agentId}" }],
          ["activity.list", { companyId: "${other.id}" }],
        ]) used.push(await use("call_operation", { name, arguments: args }));
        return used;`,
      )) as readonly Used[];
      expect(answers).toHaveLength(15);
      for (const { isError, text } of answers) {
        expect([isError, text]).toEqual([true, expect.stringMatching(/\((\w+_not_found|forbidden)\)/)]);
        expect(text).not.toMatch(/harbour|Eve/);
      }
      expect(await board.issues.get({ issueId: issue.id })).toMatchObject({
        status: issue.status,
        updatedAt: issue.updatedAt,
      });
      expect((await board.issues.comments({ issueId: issue.id })).items).toEqual([]);
    },
    "credential-through-tools": async () => {
      const answers = (await attacked.attempt(
        companyId,
        `${use}
        const used = [];
        for (const name of ["agents.createKey", "tokens.create", "users.invite", "session.createLink", "session.createByCode",
          "secrets.list", "secrets.create", "routines.rotateSecret", "routines.fire"])
          used.push({ ...(await use("call_operation", { name, arguments: { agentId: me, name: "n" } })), refused: true });
        for (const [name, args] of [["who_is_who", {}], ["my_issues", {}], ["find_operation", { query: "key token secret" }],
          ["call_operation", { name: "agents.me" }], ["call_operation", { name: "runs.get", arguments: { runId: run } }]])
          used.push(await use(name, args));
        return used.map((each) => ({ ...each, shows: each.text.includes(token) || /(brd|agt)_\\\\w/.test(each.text) }));`,
      )) as readonly (Used & { readonly refused?: true; readonly shows: boolean })[];
      expect(answers).toHaveLength(14);
      for (const { isError, text, refused, shows } of answers) {
        expect([isError, shows, text]).toEqual([refused === true, false, text]);
        if (refused) expect(text).toContain("(operation_unknown)");
      }
    },
  },
  (environment) => {
    beforeAll(async () => {
      attacked = await attackedService(environment);
      companyId = (await attacked.board.companies.create({ name: "Tools" })).id;
    });
    afterAll(() => attacked?.close());
  },
);
