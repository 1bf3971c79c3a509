import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { judgedAddress } from "../../plugins/kit/judged-address.ts";
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
          lookup: (_host, options, done) =>
            options.all
              ? done(null, [address])
              : (done as (error: null, address: string, family: number) => void)(
                  null,
                  address.address,
                  address.family,
                ),
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
  let text = "";
  response.setEncoding("utf8");
  for await (const chunk of response) {
    text += chunk;
    if (text.length > maxAnswerBytes) throw new Error("Its answer is longer than 1 MiB.");
    const found = isStream ? answerOf(eventsOf(text), id) : null;
    if (found === null) continue;
    response.destroy();
    return found;
  }
  const found = answerOf(isStream ? eventsOf(`${text}\n\n`) : [text], id);
  if (found === null) throw new Error("It does not answer as a server of the Model Context Protocol does.");
  return found;
};

/** The data of the events that are complete. */
const eventsOf = (text: string): readonly string[] =>
  text
    .replaceAll("\r\n", "\n")
    .split("\n\n")
    .slice(0, -1)
    .map((event) =>
      event
        .split("\n")
        .flatMap((line) => (line.startsWith("data:") ? [line.slice(5).trim()] : []))
        .join("\n"),
    );

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
