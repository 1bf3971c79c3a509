import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CommentLocation } from "../../core/model/issues/comments/comment-location.ts";
import type { Run } from "../../core/model/runs/run.ts";
import { type WakeReason, wakeReasons } from "../../core/model/runs/wake-reason.ts";
import { agentEnvironment, type EnvironmentFacts } from "../../core/runs/agent-environment.ts";
import { composePrompt } from "../../core/runs/prompt.ts";
import type { RunTask } from "../../ports/views/run-views.ts";
import { acme, ada, anAgent, aRun, earlier, firstRun, id, theIssue } from "../support/nouns.ts";

describe("The environment of an agent's program", () => {
  const facts = (fields: Partial<EnvironmentFacts> = {}): EnvironmentFacts => ({
    base: { PATH: "/bin" },
    apiUrl: "http://127.0.0.1:3100",
    token: "token",
    run: { id: firstRun, agentId: ada, companyId: acme },
    context: {
      issueId: theIssue,
      wakeReason: "issue_commented",
      wakeSource: "automation",
      wakeCommentIds: ["c1", "c2"],
      payload: { message: "hello" },
    },
    cwd: "/work",
    config: {},
    decisions: [],
    traceparent: null,
    ...fields,
  });
  const ours = agentEnvironment(facts());

  test("identifies the agent, the reason, the issue and the interface", () => {
    expect(ours).toEqual({
      PATH: "/bin",
      AGENT_HOME: "/work",
      SERVICE_API_URL: "http://127.0.0.1:3100",
      SERVICE_API_KEY: "token",
      SERVICE_AGENT_ID: ada,
      SERVICE_COMPANY_ID: acme,
      SERVICE_RUN_ID: firstRun,
      SERVICE_TASK_ID: theIssue,
      SERVICE_WAKE_REASON: "issue_commented",
      SERVICE_WAKE_COMMENT_ID: "c2",
      SERVICE_WAKE_PAYLOAD_JSON: '{"message":"hello","wakeCommentIds":["c1","c2"]}',
    });
  });

  test("has no task and no comment if the wake has none", () => {
    const context = { ...facts().context, issueId: null, wakeCommentIds: [] };
    const env = agentEnvironment(facts({ context }));
    expect(env.SERVICE_TASK_ID).toBe("");
    expect(Object.keys(env)).not.toContain("SERVICE_WAKE_COMMENT_ID");
  });

  test("gives the agent's variables precedence over those of the service's environment", () => {
    const env = {
      PATH: "/own/bin",
      TYPED: { type: "plain", value: "x" },
      REF: { type: "secret_ref", secretId: "s" },
    };
    expect(agentEnvironment(facts({ config: { env } }))).toEqual({ ...ours, PATH: "/own/bin", TYPED: "x" });
  });

  test("does not let the agent override the service's variables", () => {
    const name = fc.oneof(
      fc.constantFrom(...Object.keys(ours).filter((key) => key !== "PATH")),
      fc.stringMatching(/^SERVICE_[A-Z]+$/),
    );
    fc.assert(
      fc.property(fc.dictionary(name, fc.string()), (env) => {
        expect(agentEnvironment(facts({ config: { env } }))).toEqual(ours);
      }),
    );
  });
});

describe("The prompt of a run", () => {
  const task = (fields: Partial<RunTask> = {}): RunTask => ({
    companyName: "Acme",
    houseRules: "",
    issue: {
      identifier: "ACM-1",
      title: "Write the tests",
      description: "All of them.",
      status: "todo",
      priority: "high",
      assigneeUserName: null,
    },
    comments: [],
    commentIds: [],
    decisions: [],
    hasMessages: false,
    knowsTools: false,
    ...fields,
  });
  const reasons = Object.keys(wakeReasons) as WakeReason[];

  const promptOf = (run: Partial<Run> = {}, about = task()) =>
    composePrompt(anAgent(), aRun(run), about, aRun(run).id);

  test("names the person to whom its task is assigned", () => {
    const issue = { ...task().issue!, assigneeUserName: "Eve" };
    expect(promptOf({}, task({ issue }))).toContain("It is assigned to Eve, a person");
    expect(promptOf()).not.toContain("a person");
  });

  test("describes the agent, its task, and how to work", () => {
    const prompt = promptOf();
    for (const part of [
      "You are Ada (engineer), an agent of Acme.",
      "ACM-1",
      theIssue,
      "Write the tests",
      "All of them.",
      "/api/agent-guide",
    ])
      expect(prompt).toContain(part);
  });

  test("leaves to the tools what they tell, once the agent's program has listed them", () => {
    const comments = [
      { id: "c-1", author: "Grace", body: "Please hurry.", location: null, createdAt: earlier },
    ];
    const full = promptOf({}, task({ comments }));
    const prompt = promptOf({}, task({ comments, knowsTools: true }));
    for (const part of ["ACM-1", "Write the tests", "Grace", "my_task", "finish_task", "checked out"])
      expect(prompt).toContain(part);
    for (const part of ["All of them.", "Please hurry.", "curl"]) {
      expect(full).toContain(part);
      expect(prompt).not.toContain(part);
    }
    expect(prompt.split("ACM-1")).toHaveLength(2);
    const none = promptOf({ issueId: null }, task({ issue: null, knowsTools: true }));
    expect(none).toContain("my_issues");
  });

  test("has a sentence of its own for every wake reason", () => {
    const prompts = reasons.map((wakeReason) => promptOf({ wakeReason }));
    expect(new Set(prompts).size).toBe(reasons.length);
    for (const prompt of prompts) expect(prompt).not.toContain("undefined");
  });

  test("includes the message of an invocation and the comments that woke the agent", () => {
    const comments = [
      { id: "c-1", author: "Grace", body: "Please hurry.", location: null, createdAt: earlier },
    ];
    const prompt = promptOf({ context: { message: "Just this once." } }, task({ comments }));
    expect(prompt).toContain("Just this once.");
    const location = {
      path: "a.ts",
      side: "new",
      startLine: 7,
      endLine: 7,
      commit: "c".repeat(40),
      lines: ["x = y"],
    };
    const located = comments.map((comment) => ({
      ...comment,
      location: { ...location, repositoryId: id(1) } as CommentLocation,
    }));
    expect(promptOf({}, task({ comments: located }))).toContain(
      "Grace:\nOn a.ts, line 7, at commit cccccccccccc:\n> x = y\n\nPlease hurry.",
    );
    expect(prompt).toContain(`[${earlier}] Grace:\nPlease hurry.`);
  });

  test("has a bounded length, whatever people write", () => {
    const comments = Array.from({ length: 100 }, () => ({
      id: "c-1",
      author: "Grace",
      body: "x".repeat(500_000),
      location: null,
      createdAt: earlier,
    }));
    const issue = { ...task().issue!, description: "y".repeat(500_000) };
    expect(promptOf({}, task({ issue, comments })).length).toBeLessThan(60_000);
  });

  test("names no issue if the run has none", () => {
    expect(promptOf({ issueId: null }, task({ issue: null }))).not.toContain("Your task is");
  });
});
