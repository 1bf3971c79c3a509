import { takesFile } from "../api/endpoint/file-endpoint.ts";
import { endpoints } from "../api/index.ts";
import type { Wire, WireEndpoint } from "./wire.ts";

const readWire = (): Wire => {
  const wire: Record<string, Record<string, WireEndpoint>> = {};
  for (const { group, action, endpoint } of endpoints) {
    wire[group] ??= {};
    wire[group][action] = {
      method: endpoint.method,
      path: endpoint.path,
      query: Object.keys(endpoint.query.shape),
      body: endpoint.body === null ? null : takesFile(endpoint) ? "form" : "json",
      media: endpoint.media,
    };
  }
  return wire as unknown as Wire;
};

/** The wire table, from the declarations. It imports all of them; a browser gets a generated table instead. */
export const declaredWire: Wire = readWire();
