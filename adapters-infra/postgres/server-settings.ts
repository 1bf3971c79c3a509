import { statfsSync } from "node:fs";

/**
 * Where the server allocates shared memory while it runs: in `/dev/shm`, or in files of the cluster where that has too little room,
 * as in a container with a small one.
 */
export const dynamicSharedMemory = (): "posix" | "mmap" => {
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    return bavail * bsize < 16 * 1024 * 1024 ? "mmap" : "posix";
  } catch {
    // Systems other than Linux have no such folder, and no such limit.
    return process.platform === "linux" ? "mmap" : "posix";
  }
};

/**
 * Settings of the server, passed on its command line, so that they change with the version of the service and no file
 * in the data directory can override them.
 */
export const serverSettings = ({
  major,
  port,
  durable,
  connections,
}: {
  /** Of PostgreSQL; null: this version's. */
  readonly major: number | null;
  readonly port: number;
  readonly durable: boolean;
  readonly connections: number;
}): string[] =>
  Object.entries({
    cluster_name: "boardroom",
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    password_encryption: "scram-sha-256",
    max_connections: connections,

    // Small memory settings: the service and its server share a small machine, and queries are short.
    shared_buffers: "64MB",
    effective_cache_size: "512MB",
    work_mem: "8MB",
    maintenance_work_mem: "64MB",
    jit: "off",
    ...(major !== null && major < 18 ? {} : { io_method: "sync" }),
    // Each scan of a small table prepares for as many reads at once, whether it reads from a disk or not: with the default
    // of 16 that is 4 % of an issue's detail.
    effective_io_concurrency: 1,
    max_parallel_workers_per_gather: 0,
    max_logical_replication_workers: 0,
    huge_pages: "off",
    dynamic_shared_memory_type: dynamicSharedMemory(),

    // There is no replication, so the log holds only what recovery needs.
    wal_level: "minimal",
    max_wal_senders: 0,
    max_replication_slots: 0,
    // The server touches all of it within seconds, whatever it needs. PostgreSQL's own choice with these shared_buffers.
    wal_buffers: "2MB",
    wal_compression: "on",
    min_wal_size: "64MB",
    max_wal_size: "512MB",
    checkpoint_timeout: "10min",
    random_page_cost: 1.1,
    fsync: durable ? "on" : "off",
    synchronous_commit: durable ? "on" : "off",
    full_page_writes: durable ? "on" : "off",

    // The sender gets failed statements; in a log they and their values could reveal secrets.
    log_min_messages: "log",
    log_min_error_statement: "panic",
    log_error_verbosity: "terse",
    log_checkpoints: "off",
    log_lock_waits: "off",
    log_autovacuum_min_duration: -1,
    logging_collector: "off",
    log_destination: "stderr",
    log_line_prefix: "",
    lc_messages: "C",
    timezone: "UTC",
    log_timezone: "UTC",
  }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
