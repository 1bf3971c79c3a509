import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/** A proxy on loopback, whose address is known before the service behind it. It passes what is below `path`, without that. */
export const passingProxy = async (path = "") => {
  let behind = "";
  const server = createServer((asked, answered) => {
    const { method, headers, url = "" } = asked;
    if (!url.startsWith(`${path}/`)) return void answered.writeHead(404).end();
    const passed = request(`${behind}${url.slice(path.length)}`, { method, headers }, (answer) => {
      answered.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(answered);
    });
    passed.on("error", () => answered.destroy());
    asked.pipe(passed);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}${path}`,
    passTo: (url: string) => {
      behind = url;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
