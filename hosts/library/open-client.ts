import { type Client, createClient } from "./client.ts";
import { declaredWire } from "./declared-wire.ts";
import type { Transport } from "./transport.ts";

/** Makes a client of the service behind the transport. */
export const openClient = (transport: Transport): Client => createClient(transport, declaredWire);
