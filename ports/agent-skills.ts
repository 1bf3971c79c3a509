/** A folder that tells an agent how to do something. */
export interface OfferedSkill {
  /** Name of the folder and of the skill: lower-case words joined by hyphens. */
  readonly key: string;
  /** One or two sentences about its use. */
  readonly description: string;
  /** Absolute path of the folder with its SKILL.md. Programs of agents may read it. */
  readonly path: string;
}

export interface RunSkills {
  /** The offered skills among `config.desiredSkills`. */
  readonly wanted: readonly OfferedSkill[];
  /** The `files` of the context: the adapter has the skills laid out below it. */
  readonly folder: string;
}

export interface SkillsSnapshot {
  readonly adapterType: string;
  readonly supported: boolean;
  readonly mode: "unsupported" | "persistent" | "ephemeral";
  readonly desiredSkills: readonly string[];
  readonly entries: readonly SkillEntry[];
  readonly warnings: readonly string[];
}

/** A skill that an agent has, may have or should have. */
export interface SkillEntry {
  /** The name in `desiredSkills`; unique among the entries. */
  readonly key: string;
  /** The program's name for it. */
  readonly runtimeName: string;
  readonly desired: boolean;
  /** Whether the service manages it. */
  readonly managed: boolean;
  /**
   * available: offered, not desired. configured: the next run has it. installed: present where the program looks for
   * it. missing: desired, but not offered. stale: installed, but different from the offered one. external: not managed
   * by the service.
   */
  readonly state: "available" | "configured" | "installed" | "missing" | "stale" | "external";
  readonly origin?: "company_managed" | "user_installed" | "external_unknown";
  readonly originLabel?: string;
  readonly locationLabel?: string;
  readonly readOnly?: boolean;
  readonly sourcePath?: string;
  readonly targetPath?: string;
  readonly detail?: string;
}
