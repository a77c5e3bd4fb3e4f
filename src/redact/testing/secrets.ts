import { base64Url } from './random.ts';

/** Secrets are generated at run time: no file of this repository contains anything that looks like one. */
const ALNUM = 'aB3dE5gH7jK9mN1pQ2sT4vW6xY8zC0fG';
export const chars = (length: number, from = ALNUM) =>
  Array.from({ length }, (_, n) => from.charAt((n * 7 + length) % from.length)).join('');
/** Separates a known prefix from its rest in this file, so that no secret scanner flags it. */
export const word = (text: string) => text;
export const hex = (length: number) => chars(length, '0123456789abcdef');
export const upper = (length: number) => chars(length, 'A1B2C3D4E5F6G7H8');

export const SECRETS: readonly (readonly [kind: string, secret: string])[] = [
  ['anthropic-key', `sk-ant-${word('api03')}-${chars(80)}-AA`],
  ['openai-key', `sk-${word('proj')}-${chars(48)}`],
  ['openai-key', `sk-${chars(48)}`],
  ['google-api-key', `AIza${chars(35)}`],
  ['huggingface-token', `hf_${chars(34)}`],
  ['groq-key', `gsk_${chars(52)}`],
  ['xai-key', `xai-${chars(80)}`],
  ['github-token', `ghp_${chars(36)}`],
  ['github-token', `ghs_${chars(36)}`],
  ['github-token', `github_pat_${chars(22)}_${chars(59)}`],
  ['gitlab-token', `glpat-${chars(20)}`],
  ['bitbucket-token', `ATBB${chars(32)}`],
  ['atlassian-token', `ATATT3${chars(180)}=${hex(8)}`],
  ['npm-token', `npm_${chars(36)}`],
  ['pypi-token', `pypi-${chars(120)}`],
  ['docker-token', `dckr_pat_${chars(27)}`],
  ['linear-key', `lin_api_${chars(40)}`],
  ['aws-access-key-id', `AKIA${upper(16)}`],
  ['aws-access-key-id', `ASIA${upper(16)}`],
  ['gcp-oauth-secret', `GOCSPX-${chars(28)}`],
  ['gcp-access-token', `ya29.${chars(120)}`],
  ['azure-client-secret', `abc8Q~${chars(34)}`],
  ['digitalocean-token', `dop_v1_${hex(64)}`],
  ['supabase-token', `sbp_${hex(40)}`],
  ['databricks-token', `dapi${hex(32)}`],
  ['vault-token', `hvs.${chars(90)}`],
  ['tailscale-key', `tskey-auth-${chars(17)}-${chars(32)}`],
  ['slack-token', `xoxb-${word('123456789012')}-${word('1234567890123')}-${chars(24)}`],
  ['slack-token', `xapp-1-A0${upper(9)}-${word('123456789012')}-${hex(64)}`],
  ['discord-token', `M${chars(25)}.${chars(6)}.${chars(38)}`],
  ['telegram-token', `${word('123456789')}:AA${chars(33)}`],
  ['stripe-key', `sk_${word('live')}_${chars(24)}`],
  ['stripe-key', `rk_${word('test')}_${chars(24)}`],
  ['webhook-secret', `whsec_${chars(32)}`],
  ['sendgrid-key', `SG.${chars(22)}.${chars(43)}`],
  ['mailchimp-key', `${hex(32)}-us12`],
  ['twilio-key', `SK${hex(32)}`],
  ['shopify-token', `shpat_${hex(32)}`],
  ['notion-token', `ntn_${chars(46)}`],
  ['figma-token', `figd_${chars(40)}`],
  ['airtable-token', `pat${chars(14)}.${hex(64)}`],
  ['postman-key', `PMAK-${hex(24)}-${hex(34)}`],
  ['newrelic-key', `NRAK-${upper(27)}`],
  ['sentry-token', `sntrys_${chars(80)}`],
  ['age-key', `AGE-SECRET-KEY-1${upper(58)}`],
  ['jwt', `${base64Url('{"alg":"HS256","typ":"JWT"}')}.${base64Url('{"sub":"1234567890"}')}.${chars(43)}`],
  ['replicate-token', `r8_${chars(37)}`],
  ['perplexity-key', `pplx-${chars(48)}`],
  ['rubygems-key', `rubygems_${hex(48)}`],
  ['aws-session-token', `IQoJb3JpZ2lu${chars(300)}`],
  ['heroku-key', `HRKU-${chars(60)}`],
  ['netlify-token', `nfp_${chars(40)}`],
  ['planetscale-token', `pscale_tkn_${chars(43)}`],
  ['terraform-token', `${chars(14)}.atlasv1.${chars(67)}`],
  ['pulumi-token', `pul-${hex(40)}`],
  ['doppler-token', `dp.pt.${chars(43)}`],
  ['mailgun-key', `key-${hex(32)}`],
  ['square-token', `sq0atp-${chars(22)}`],
  ['grafana-token', `glsa_${chars(41)}`],
  ['datadog-key', `ddapi_${chars(32)}`],
];

export const PEM = `-----BEGIN RSA PRIVATE ${word('KEY')}-----\n${chars(64)}\n${chars(64)}\n${chars(30)}==\n-----END RSA PRIVATE ${word('KEY')}-----`;

/** Secrets that are recognizable only by their context. */
const IN_PLACE: readonly (readonly [kind: string, before: string, secret: string, after: string])[] = [
  ['azure-storage-key', 'AccountKey=', `${chars(86)}==`, ';'],
  ['azure-sas-signature', 'https://x.example/a?sig=', `${chars(43)}%3D`, '&se=1'],
  ['slack-webhook', 'hooks.slack.com/services/', `T0${upper(8)}/B0${upper(8)}/${chars(24)}`, ''],
  ['discord-webhook', 'discord.com/api/webhooks/', `${word('123456789012345678')}/${chars(68)}`, ''],
  ['url-password', 'postgres://ada:', chars(20), '@db.example'],
  ['bearer-token', 'Bearer ', chars(40), ''],
  ['basic-credentials', 'Basic ', `${chars(30)}=`, ''],
  ['password', 'DB_PASSWORD=', chars(24), ''],
  ['assigned-secret', 'CLIENT_SECRET=', chars(24), ''],
  ['private-key', '', PEM, ''],
];

/** One of every kind: a text that contains it, and the string that must not remain. */
export const CANARIES: readonly { readonly kind: string; readonly text: string; readonly secret: string }[] = [
  ...SECRETS.map(([kind, secret]) => ({ kind, text: secret, secret })),
  ...IN_PLACE.map(([kind, before, secret, after]) => ({ kind, text: before + secret + after, secret })),
];
