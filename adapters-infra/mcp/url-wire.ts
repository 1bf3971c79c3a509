import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { judgedAddress, onlyAt } from "../../plugins/kit/judged-address.ts";
import { asJson, type Json, protocolVersion, resultOf, type Wire } from "./list-tools.ts";

const maxAnswerBytes = 1024 * 1024;

/** A server over HTTP, at its judged address alone. Rejects with a sentence. */
export const urlWire = async (
  url: URL,
  values: Readonly<Record<string, string>>,
  allowPrivate: boolean,
  signal: AbortSignal,
): Promise<Wire> => {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const address = await judgedAddress(host, allowPrivate).catch(
    () => ({ refused: "none", named: host }) as const,
  );
  if ("refused" in address)
    throw new Error(
      {
        never: `${address.named} is never called: it may hand out the machine's credentials.`,
        private: `${address.named} is in a private network or on this machine. To allow it, set allowPrivateHost.`,
        none: `${host} has no address that this machine finds.`,
      }[address.refused],
    );
  let lastId = 0;
  let session: Readonly<Record<string, string>> = {};
  const post = (message: Json, id: number | null): Promise<Json> =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ jsonrpc: "2.0", ...message });
      const send = url.protocol === "https:" ? httpsRequest : httpRequest;
      const request = send(
        url,
        {
          method: "POST",
          signal,
          agent: false,
          headers: {
            ...values,
            ...session,
            "content-type": "application/json",
            "content-length": Buffer.byteLength(body),
            accept: "application/json, text/event-stream",
            "mcp-protocol-version": protocolVersion,
          },
          lookup: onlyAt(address),
        },
        (response) => {
          const given = response.headers["mcp-session-id"];
          if (typeof given === "string") session = { "mcp-session-id": given };
          answerIn(response, id).then(resolve, reject);
        },
      );
      request.on("error", (error) => reject(new Error(`It cannot be reached: ${error.message}`)));
      request.end(body);
    });
  return {
    request: async (method, params) => {
      lastId += 1;
      return resultOf(method, await post({ id: lastId, method, params }, lastId));
    },
    notify: async (method) => void (await post({ method }, null)),
  };
};

/** Reads until the answer to the message; a stream may continue after it. */
const answerIn = async (response: IncomingMessage, id: number | null): Promise<Json> => {
  const status = response.statusCode ?? 0;
  if (status >= 300 && status < 400) {
    response.destroy();
    throw new Error(`It redirects elsewhere (${status}), which is not followed: give the address itself.`);
  }
  if (status >= 400 || id === null) {
    response.resume();
    response.destroy();
    if (status < 400) return {};
    throw new Error(
      status === 401 || status === 403
        ? `It refuses the credentials (${status}): give a header from a secret.`
        : `It answers with status ${status}.`,
    );
  }
  const isStream = (response.headers["content-type"] ?? "").startsWith("text/event-stream");
  const events = newEvents();
  const parts: string[] = [];
  let length = 0;
  response.setEncoding("utf8");
  for await (const chunk of response) {
    length += chunk.length;
    if (length > maxAnswerBytes) throw new Error("Its answer is longer than 1 MiB.");
    if (!isStream) {
      parts.push(chunk);
      continue;
    }
    const found = answerOf(events.take(chunk), id);
    if (found === null) continue;
    response.destroy();
    return found;
  }
  const found = answerOf(isStream ? events.take("\n\n") : [parts.join("")], id);
  if (found === null) throw new Error("It does not answer as a server of the Model Context Protocol does.");
  return found;
};

/** Reads a stream of events chunk by chunk. Each character is looked at a few times, however small the chunks are. */
const newEvents = () => {
  let line: string[] = [];
  let data: string[] = [];
  return {
    /** Returns the data of the events that the chunk completes. */
    take: (chunk: string): readonly string[] => {
      const [first = "", ...others] = chunk.split("\n");
      line.push(first);
      const found: string[] = [];
      for (const next of others) {
        const whole = line.join("").replace(/\r$/, "");
        line = [next];
        if (whole.startsWith("data:")) data.push(whole.slice(5).trim());
        if (whole !== "") continue;
        if (data.length > 0) found.push(data.join("\n"));
        data = [];
      }
      return found;
    },
  };
};

const answerOf = (texts: readonly string[], id: number): Json | null => {
  for (const text of texts) {
    let message: Json | null = null;
    try {
      message = asJson(JSON.parse(text));
    } catch {
      continue;
    }
    if (message?.id === id && ("result" in message || "error" in message)) return message;
  }
  return null;
};
