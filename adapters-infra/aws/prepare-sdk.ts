/**
 * Sets what the AWS SDK reads from the environment, before it is loaded. Without other credentials its default chain asks the
 * metadata address of the machine for those of the instance: only an operator who has set the variable to `false` wants that.
 */
export const prepareSdk = (env: NodeJS.ProcessEnv = process.env): void => {
  env.AWS_EC2_METADATA_DISABLED ??= "true";
  // It prints this once per process on standard error, where the service writes its JSON log.
  env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";
};
