import { type Client, createClient, type Transport } from "./client.ts";
import { declaredWire } from "./declared-wire.ts";

/** A client of the service behind the transport, with the shape of the published interface. */
export const openClient = (transport: Transport): Client => createClient(transport, declaredWire);
