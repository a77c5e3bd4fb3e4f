/** Secrets that tell themselves by their form. Every quantifier has a limit, so that a rule is linear in the text. */
export interface FormRule {
  readonly kind: string;
  /** A text without any of these cannot match: most texts are done with after a few fast searches. */
  readonly hints: readonly string[];
  readonly pattern: RegExp;
}

const rule = (kind: string, hints: string | readonly string[], pattern: RegExp): FormRule => ({
  kind,
  hints: typeof hints === 'string' ? [hints] : hints,
  pattern,
});

const AI_SERVICES = [
  rule('anthropic-key', 'sk-ant-', /\bsk-ant-[\w-]{16,300}/g),
  rule('openai-key', 'sk-', /\bsk-(?:proj-|svcacct-|admin-|or-v1-|lf-)?[\w-]{20,300}/g),
  rule('google-api-key', 'AIza', /\bAIza[\w-]{35}/g),
  rule('huggingface-token', 'hf_', /\bhf_[A-Za-z0-9]{30,60}\b/g),
  rule('replicate-token', 'r8_', /\br8_[A-Za-z0-9]{30,60}\b/g),
  rule('groq-key', 'gsk_', /\bgsk_[A-Za-z0-9]{40,80}\b/g),
  rule('xai-key', 'xai-', /\bxai-[A-Za-z0-9]{40,120}\b/g),
  rule('perplexity-key', 'pplx-', /\bpplx-[A-Za-z0-9]{40,80}\b/g),
];

const CODE_HOSTS = [
  rule('github-token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], /\bgh[pousr]_[A-Za-z0-9]{30,255}\b/g),
  rule('github-token', 'github_pat_', /\bgithub_pat_\w{22,255}/g),
  rule('gitlab-token', 'gl', /\bgl(?:pat|dt|ptt|rt|soat|cbt|ft|imt|agent|oas)-[\w-]{20,100}/g),
  rule('bitbucket-token', 'ATBB', /\bATBB[A-Za-z0-9]{24,60}\b/g),
  rule('atlassian-token', 'ATATT3', /\bATATT3[\w=-]{50,300}/g),
  rule('npm-token', 'npm_', /\bnpm_[A-Za-z0-9]{36}\b/g),
  rule('pypi-token', 'pypi-', /\bpypi-[\w-]{50,300}/g),
  rule('rubygems-key', 'rubygems_', /\brubygems_[0-9a-f]{40,64}\b/g),
  rule('docker-token', 'dckr_', /\bdckr_(?:pat|oat)_[\w-]{20,80}/g),
  rule('linear-key', 'lin_', /\blin_(?:api|oauth)_[A-Za-z0-9]{32,80}\b/g),
];

const CLOUDS = [
  rule('aws-access-key-id', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g),
  rule('aws-session-token', 'IQoJb3JpZ2lu', /\bIQoJb3JpZ2lu[A-Za-z0-9+/=]{100,2000}/g),
  rule('gcp-oauth-secret', 'GOCSPX-', /\bGOCSPX-[\w-]{20,60}/g),
  rule('gcp-access-token', 'ya29.', /\bya29\.[\w-]{20,500}/g),
  rule(
    'azure-storage-key',
    ['AccountKey=', 'SharedAccessKey='],
    /(?<=\b(?:AccountKey|SharedAccessKey)=)[A-Za-z0-9+/=]{20,200}/g,
  ),
  rule('azure-client-secret', '8Q~', /(?<![\w~.-])[\w~.-]{3}8Q~[\w~.-]{31,34}(?![\w~.-])/g),
  rule('azure-sas-signature', 'sig=', /(?<=[?&]sig=)[A-Za-z0-9%/+=]{20,200}/g),
  rule('digitalocean-token', 'do', /\bdo[opr]_v1_[0-9a-f]{64}\b/g),
  rule('heroku-key', 'HRKU-', /\bHRKU-[\w-]{30,100}/g),
  rule('netlify-token', 'nfp_', /\bnfp_[A-Za-z0-9]{36,60}\b/g),
  rule('supabase-token', 'sb', /\bsb(?:p_[0-9a-f]{40}|_secret_[\w-]{20,80})\b/g),
  rule('planetscale-token', 'pscale_', /\bpscale_(?:tkn|pw|oauth)_[\w.-]{30,80}/g),
  rule('databricks-token', 'dapi', /\bdapi[0-9a-f]{32}\b/g),
  rule('vault-token', 'hv', /\bhv[sbr]\.[\w-]{24,300}/g),
  rule('terraform-token', '.atlasv1.', /\b[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,80}/g),
  rule('pulumi-token', 'pul-', /\bpul-[0-9a-f]{40}\b/g),
  rule('tailscale-key', 'tskey-', /\btskey-[a-z]{2,10}-[\w-]{20,100}/g),
  rule('doppler-token', 'dp.', /\bdp\.(?:pt|st|ct|scim|audit)\.[\w.-]{40,120}/g),
];

const PRODUCTS = [
  rule('slack-token', 'xox', /\bxox[abceoprs]-[A-Za-z0-9-]{10,300}/g),
  rule('slack-token', 'xapp-', /\bxapp-[A-Za-z0-9-]{20,300}/g),
  rule('slack-webhook', 'hooks.slack.com', /(?<=\bhooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/]{20,120}/g),
  rule('discord-token', '.', /\b[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])/g),
  rule('discord-webhook', '/api/webhooks/', /(?<=\bdiscord(?:app)?\.com\/api\/webhooks\/)\d{10,25}\/[\w-]{40,100}/g),
  rule('telegram-token', ':AA', /\b\d{8,10}:AA[\w-]{32,34}(?![\w-])/g),
  rule('stripe-key', ['sk_', 'rk_'], /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,250}\b/g),
  rule('webhook-secret', 'whsec_', /\bwhsec_[A-Za-z0-9+/=]{20,100}/g),
  rule('sendgrid-key', 'SG.', /\bSG\.[\w-]{16,32}\.[\w-]{16,64}/g),
  rule('mailgun-key', 'key-', /\bkey-[0-9a-f]{32}\b/g),
  rule('mailchimp-key', '-us', /\b[0-9a-f]{32}-us\d{1,2}\b/g),
  rule('twilio-key', 'SK', /\bSK[0-9a-f]{32}\b/g),
  rule('shopify-token', 'shp', /\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b/g),
  rule('square-token', ['sq0', 'EAAA'], /\b(?:sq0[a-z]{3}-[\w-]{22,60}|EAAA[\w-]{50,100})/g),
  rule('notion-token', 'ntn_', /\bntn_[A-Za-z0-9]{40,60}\b/g),
  rule('figma-token', 'figd_', /\bfig[dour]_[\w-]{30,80}/g),
  rule('airtable-token', 'pat', /\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b/g),
  rule('postman-key', 'PMAK-', /\bPMAK-[0-9a-f]{20,30}-[0-9a-f]{30,40}\b/g),
  rule('grafana-token', ['glsa_', 'glc_'], /\b(?:glsa|glc)_[\w+/=]{30,300}/g),
  rule('newrelic-key', 'NRAK-', /\bNRAK-[A-Z0-9]{20,40}\b/g),
  rule('sentry-token', 'sntry', /\bsntry[su]_[\w+/=]{40,300}/g),
  rule('datadog-key', 'dd', /\bdd(?:api|app)_[A-Za-z0-9]{30,60}\b/g),
  rule('age-key', 'AGE-SECRET-KEY-', /\bAGE-SECRET-KEY-1[0-9A-Z]{50,70}\b/g),
];

const PROTOCOLS = [
  rule('jwt', 'eyJ', /\beyJ[\w-]{8,4000}\.eyJ[\w-]{4,8000}(?:\.[\w-]{0,2000})?/g),
  rule('url-password', '://', /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/"'<>[\]]{0,100}:)[^\s@/"'<>[\]]{1,200}(?=@)/gi),
  rule('bearer-token', 'earer ', /(?<=\b[Bb]earer )(?=[A-Za-z._~+/-]{0,60}\d)[\w.~+/=-]{16,2000}/g),
  rule('basic-credentials', 'asic ', /(?<=\b[Bb]asic )(?=[A-Za-z+/]{0,60}[\d=])[A-Za-z0-9+/]{12,400}={0,2}/g),
];

export const FORM_RULES: readonly FormRule[] = [...AI_SERVICES, ...CODE_HOSTS, ...CLOUDS, ...PRODUCTS, ...PROTOCOLS];
