import { type Client, createClient, type Transport } from "./client.ts";
import { declaredWire } from "./declared-wire.ts";

/** Makes a client of the service behind the transport. */
export const openClient = (transport: Transport): Client => createClient(transport, declaredWire);
