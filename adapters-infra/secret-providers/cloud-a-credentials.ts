type Environment = Readonly<Record<string, string | undefined>>;

export const defaultCredentialSource =
  "the AWS SDK's default chain: environment, shared files and SSO, web identity, container, and with AWS_EC2_METADATA_DISABLED=false the instance role";

/** Lists the links of the SDK's credential chain that seem to be set up. Reads only names of variables. */
export const credentialSources = (env: Environment): readonly string[] => {
  const isSet = (...names: string[]) => names.some((name) => (env[name] ?? "") !== "");
  return [
    ...(isSet("AWS_ACCESS_KEY_ID") ? ["environment"] : []),
    ...(isSet("AWS_PROFILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE") ? ["shared files"] : []),
    ...(isSet("AWS_WEB_IDENTITY_TOKEN_FILE") ? ["web identity"] : []),
    ...(isSet("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI")
      ? ["container"]
      : []),
  ];
};
