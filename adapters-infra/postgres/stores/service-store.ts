import type { Sql } from "postgres";
import type { ServiceId } from "../../../core/shared/ids.ts";
import type { Service, ServiceStore } from "../../../ports/stores/service-store.ts";
import type { Statements } from "../transaction.ts";

export const serviceStore = (tx: Statements): ServiceStore => ({
  keep: (service) => tx.write(keepService(service)),
  remove: (id) => tx.write(removeService(id)),
});

const keepService = (service: Service) => (sql: Sql) =>
  sql`
  insert into services (id, host, pid, role, started_at, lease_until)
  values (
    ${service.id}, ${service.host}, ${service.pid}, ${service.role}, ${service.startedAt}, ${service.leaseUntil}
  )
  on conflict (id) do update
  set lease_until = excluded.lease_until
`;

const removeService = (id: ServiceId) => (sql: Sql) =>
  sql`
  delete from services
  where  id = ${id}
`;
