import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelApi, ModelMood, ModelRequest, ModelScript, SubAgentScript } from "./scripted-model.ts";

/** A protocol of a model API. */
export interface ModelProtocol {
  /** Whether this request asks for a completion; `other` answers the rest. */
  asks(method: string, path: string): boolean;
  answer(turn: ModelTurn, response: ServerResponse): void;
  other(method: string, path: string, response: ServerResponse): void;
}

export interface ModelTurn {
  readonly request: ModelRequest;
  readonly script: ModelScript;
  readonly subAgents: readonly SubAgentScript[];
  readonly mood: Exclude<ModelMood, "silent">;
  readonly resetsAt: Date | null;
  /** Counts from 1, for ids. */
  readonly number: number;
}

/** A model API that plays a script, on loopback unless another address of this machine is given. */
export const startModelApi = async (protocol: ModelProtocol, host = "127.0.0.1"): Promise<ModelApi> => {
  const requests: ModelRequest[] = [];
  let script: ModelScript = { commands: [], closing: "Done." };
  let subAgents: readonly SubAgentScript[] = [];
  let mood: ModelMood = "willing";
  let resetsAt: Date | null = null;
  let number = 0;
  let released: Promise<unknown> = Promise.resolve();

  const server = createServer(async (request, response) => {
    const { method = "GET", url = "/", headers } = request;
    const text = await bodyOf(request);
    if (!protocol.asks(method, url)) return protocol.other(method, url, response);
    const asked = { method, path: url, headers, body: JSON.parse(text) };
    requests.push(asked);
    if (mood === "silent") return;
    await released;
    number += 1;
    protocol.answer({ request: asked, script, subAgents, mood, resetsAt, number }, response);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));

  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    requests,
    script: (commands, closing = "Done.", ofSubAgents = []) => {
      script = { commands, closing };
      subAgents = ofSubAgents;
    },
    mood: (next, until) => {
      mood = next;
      resetsAt = until ?? null;
    },
    hold: (until) => {
      released = until;
    },
    forget: () => void requests.splice(0),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};
