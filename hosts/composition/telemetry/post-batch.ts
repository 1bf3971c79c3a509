import { once } from "node:events";
import * as http from "node:http";
import * as https from "node:https";
import { buffer } from "node:stream/consumers";

const agents = {
  http: new http.Agent({ keepAlive: true }),
  https: new https.Agent({ keepAlive: true }),
};

/** Posts a batch as `fetch` would, at a quarter of what that of Node 20 costs. */
export const postBatch: typeof fetch = async (input, { method, headers, body, signal } = {}) => {
  const url = new URL(String(input));
  const isSecure = url.protocol === "https:";
  const request = (isSecure ? https : http).request(url, {
    method: method ?? "POST",
    headers: headers as http.OutgoingHttpHeaders,
    agent: isSecure ? agents.https : agents.http,
    ...(signal == null ? {} : { signal }),
  });
  request.end(body);
  const [answer] = (await once(request, "response")) as [http.IncomingMessage];
  await buffer(answer);
  const { "retry-after": retryAfter } = answer.headers;
  return new Response(null, {
    status: answer.statusCode!,
    headers: retryAfter === undefined ? {} : { "retry-after": retryAfter },
  });
};
