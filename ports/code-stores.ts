import type * as Effect from "effect/Effect";
import type * as Redacted from "effect/Redacted";
import type { Author } from "../core/model/repositories/authorship.ts";
import type { MergeMethod, RawLfsFiles } from "../core/model/repositories/merge.ts";
import type { HostProblem } from "../core/model/repositories/repository.ts";
import type { CompanyId, RepositoryId, RunId } from "../core/model/shared/ids.ts";

/** A repository, as its stores are found. */
export interface StoreOf {
  readonly companyId: CompanyId;
  readonly repositoryId: RepositoryId;
}

/** A repository at its host. */
export interface HostedRepository extends StoreOf {
  /** http or https, without a user part. */
  readonly url: string;
  readonly allowPrivateHost: boolean;
  /** Sent to this address alone; null: the host asks for none. */
  readonly credential: Redacted.Redacted<string> | null;
}

/** The host cannot be used; a sentence for people without any credential. */
export class HostUnusable {
  readonly reason: HostProblem;
  readonly message: string;
  constructor(reason: HostProblem, message: string) {
    this.reason = reason;
    this.message = message;
  }
}

/** Thrown by the body of a push that must have no effect; the sentence is shown by git. */
export class PushRefused extends Error {}

/** The store cannot do it: a commit is missing, git was ended by a limit, the disk is full. A sentence for people. */
export class StoreFailed {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** A full object id, lower-case hex. */
export type Commit = string;

/** A branch with its head. */
export interface BranchHead {
  readonly name: string;
  readonly commit: Commit;
}

/** The refs that a run left in the kept store. */
export interface CapturedRefs {
  /** Its files at the end: the head itself, or a commit on top of it. null: it pushed none. */
  readonly tree: Commit | null;
  /** HEAD of its workspace. */
  readonly head: Commit | null;
  /** Its local branches. */
  readonly heads: readonly BranchHead[];
  readonly stash: Commit | null;
}

/** How a file differs between two commits. */
export interface ChangedFile {
  readonly status: "added" | "modified" | "deleted" | "renamed" | "copied" | "type_changed";
  /** As git has it: it may hold any character but NUL, and is shown with escapes. */
  readonly path: string;
  /** Of a renamed or copied file. */
  readonly oldPath: string | null;
  /** Octal, such as 100644; 000000 where there is no file. */
  readonly oldMode: string;
  readonly newMode: string;
  /** Lines; null for binary and very large files, and where the list was cut before they were counted. */
  readonly added: number | null;
  readonly removed: number | null;
}

export interface ChangedCommit {
  readonly commit: Commit;
  readonly parents: readonly Commit[];
  readonly author: string;
  readonly authorEmail: string;
  /** ISO 8601, UTC. */
  readonly authoredAt: string;
  /** At most 10,000 characters of the message. */
  readonly message: string;
}

/** The difference between two commits, within limits. */
export interface Changes {
  readonly base: Commit;
  readonly head: Commit;
  /** Newest first, at most 500. */
  readonly commits: readonly ChangedCommit[];
  readonly files: readonly ChangedFile[];
  /** More files differ than are listed. */
  readonly isCut: boolean;
}

/** Two commits whose files are compared. */
export interface Between {
  readonly base: Commit;
  readonly head: Commit;
}

/** The result of a merge that changes no branch. */
export type TriedMerge =
  | { readonly kind: "clean"; readonly tree: string }
  | { readonly kind: "conflict"; readonly files: readonly string[]; readonly messages: string };

export interface Integrate {
  readonly onto: Commit;
  readonly from: Commit;
  readonly method: MergeMethod;
  readonly message: string;
  readonly author: Author;
  /** Commits of `from` whose changes `onto` has already, by squashes; default: none. */
  readonly squashed?: readonly Commit[];
}

/** Sets a branch at the host to a commit of the shared store. */
export interface PushToHost {
  readonly branch: string;
  readonly commit: Commit;
  /** Where the host has the branch now; null: it is not there. */
  readonly expected: Commit | null;
  /** The commit need not descend from that. */
  readonly mayRewrite?: boolean;
}

/** The first commit of a repository, which has no files. */
export interface FirstCommit {
  readonly branch: string;
  readonly message: string;
  readonly author: Author;
  /** Only asks whether the host would take it. */
  readonly isTrial: boolean;
}

/** The commit that carries `from` on top of `onto`, not pushed yet. */
export type Integrated =
  | { readonly kind: "integrated"; readonly commit: Commit }
  /** `onto` has it, as commits or as files. */
  | { readonly kind: "nothing_new" }
  | { readonly kind: "not_fast_forward" }
  | { readonly kind: "conflict"; readonly files: readonly string[]; readonly messages: string };

/** The services of git's protocol that a store answers. */
export type GitService = "git-upload-pack" | "git-receive-pack";

/** One request of git to a store. */
export interface GitExchange {
  readonly store: "shared" | "kept";
  readonly service: GitService;
  /** Asks for the refs; otherwise the body is a request. */
  readonly isStart: boolean;
  /** The header Git-Protocol, where it has one. */
  readonly protocol: string | null;
  readonly isGzip: boolean;
  readonly body: AsyncIterable<Uint8Array>;
  /** The refs, or prefixes that end with a slash, that the caller may write and sees in the kept store. */
  readonly writes: readonly string[];
  /** Prefixes that it may read there in addition. */
  readonly reads: readonly string[];
  /** Why nothing may be pushed, in a few words; null: the refs alone decide. */
  readonly noPush: string | null;
  /** Fires when the caller goes away. */
  readonly aborted: AbortSignal;
}

/** An answer to git; `text/plain` for a refusal that git shows to its user. */
export interface GitAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | AsyncIterable<Uint8Array>;
}

/** Bytes on disk. */
export interface StoreSizes {
  readonly sharedBytes: number;
  readonly capturedBytes: number;
}

/**
 * The repositories that the service itself holds. Each has two stores: *shared* has the host's branches and the published
 * branches of issues, and every agent of the project may read all of it; *kept* has what runs left, with files that nobody
 * meant to publish, and only the service reads it. Nothing here looks into a folder that an agent can write.
 */
export interface CodeStores {
  /** A sentence: why this service cannot hold repositories; null where it can. */
  readonly unavailableReason: string | null;
  /** Asks the host for the head of a branch, without storing anything; null: the repository has no branch at all. */
  probe(host: HostedRepository, branch: string): Effect.Effect<Commit | null, HostUnusable>;
  /** Gives a repository without branches its first commit. Returns `stale`, and changes nothing, where it has one. */
  begin(host: HostedRepository, first: FirstCommit): Effect.Effect<"pushed" | "stale", HostUnusable>;
  /**
   * Fetches branches and tags of the host into the shared store, which it makes where it is missing. Callers who ask
   * meanwhile share one fetch, and one younger than `maxAgeSec` (default 30) is reused.
   */
  fetch(
    host: HostedRepository,
    options?: { readonly maxAgeSec?: number },
  ): Effect.Effect<void, HostUnusable | StoreFailed>;
  /** The absolute path of the shared store's objects, to be bound read-only, at the same path, into a workspace. */
  sharedObjects(of: StoreOf): string;
  /** The head of a branch in the shared store, such as `main` or `boardroom/ABC-1`; null where it is missing. */
  head(of: StoreOf, branch: string): Effect.Effect<Commit | null, StoreFailed>;
  /** Answers git of a run: what its `origin` is. */
  exchange(of: StoreOf, exchange: GitExchange): Effect.Effect<GitAnswer>;
  /** The refs that a run has pushed to the kept store. */
  capturedRefs(of: StoreOf, runId: RunId): Effect.Effect<CapturedRefs, StoreFailed>;
  /**
   * The refs of a run as a thin pack, for the blob store: all that `bases` and the host's branches do not reach. Its
   * first line is JSON, `{"refs":{<ref>:<commit>},"without":[<commit>]}`, then the pack. The caller must read or return it.
   */
  packOf(of: StoreOf, runId: RunId): Effect.Effect<AsyncIterable<Uint8Array>, StoreFailed>;
  /** Whether what is stored of `packOf` is all of it, by the checksum at its end. Reads it to its end. */
  isWholePack(pack: AsyncIterable<Uint8Array>): Effect.Effect<boolean>;
  /** Stores what `packOf` gave, in the kept store of this or another service; fails where a commit of `without` is missing. */
  unpack(
    of: StoreOf,
    runId: RunId,
    pack: AsyncIterable<Uint8Array>,
  ): Effect.Effect<CapturedRefs, StoreFailed>;
  /**
   * Makes a kept commit the head of a branch below `boardroom/` in the shared store, where all agents of the project read
   * it. Returns false, and changes nothing, where the commit does not descend from `base`.
   */
  publish(of: StoreOf, branch: string, commit: Commit, base: Commit): Effect.Effect<boolean, StoreFailed>;
  /** Whether the first commit is the second, or one before it. */
  isAncestor(of: StoreOf, earlier: Commit, later: Commit): Effect.Effect<boolean, StoreFailed>;
  /** The commits of `from` that `onto` does not have, newest first; at most 10,000. */
  commitsSince(of: StoreOf, onto: Commit, from: Commit): Effect.Effect<readonly Commit[], StoreFailed>;
  /** The best common ancestor of `from` and of a merge of all others; null where they have none. */
  mergeBase(
    of: StoreOf,
    from: Commit,
    others: readonly [Commit, ...Commit[]],
  ): Effect.Effect<Commit | null, StoreFailed>;
  /** The files and commits that differ, at most `files` of them. */
  changes(
    of: StoreOf,
    between: Between,
    limits: { readonly files: number },
  ): Effect.Effect<Changes, StoreFailed>;
  /**
   * The difference in the format of `git diff`, of the files at these paths or of all (none given); null: it is larger
   * than `bytes`. Both paths of a renamed file show what changed in it.
   */
  patch(
    of: StoreOf,
    between: Between,
    what: { readonly paths: readonly string[]; readonly bytes: number },
  ): Effect.Effect<string | null, StoreFailed>;
  /** The text of a file in a commit; null: there is no text file of at most `bytes` at the path. */
  file(of: StoreOf, commit: Commit, path: string, bytes: number): Effect.Effect<string | null, StoreFailed>;
  /** The raw files that the later commit brings where Git LFS has pointers; at most `most` are named. Starts no filter. */
  rawLfsFiles(of: StoreOf, between: Between, most: number): Effect.Effect<RawLfsFiles, StoreFailed>;
  /** Merges `from` into `onto`, and changes no branch. */
  tryMerge(
    of: StoreOf,
    what: Pick<Integrate, "onto" | "from" | "squashed">,
  ): Effect.Effect<TriedMerge, StoreFailed>;
  /** Makes the commit of a merge, in the shared store, without a tree on disk; changes no branch. */
  integrate(of: StoreOf, what: Integrate): Effect.Effect<Integrated, StoreFailed>;
  /** Returns `stale` where the host has moved on; nothing is changed then. */
  push(
    host: HostedRepository,
    what: PushToHost,
  ): Effect.Effect<"pushed" | "stale", HostUnusable | StoreFailed>;
  sizes(of: StoreOf): Effect.Effect<StoreSizes, StoreFailed>;
  /** Removes what killed processes left, and checks that every ref is whole. Runs at a service's start. */
  repair(of: StoreOf): Effect.Effect<void, StoreFailed>;
  /** Packs the stores; never removes what a workspace borrows. */
  maintain(of: StoreOf): Effect.Effect<void, StoreFailed>;
  /** Deletes both stores. */
  remove(of: StoreOf): Effect.Effect<void>;
}
