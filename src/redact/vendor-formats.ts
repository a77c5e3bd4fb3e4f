import { UUID_PATTERN } from '../lib/ids.ts';
import { OTHER_VENDORS } from './other-vendors.ts';
import { type Format, format, isJumble, isRandom, isVaried } from './vendor-format.ts';

/* The table of vendors. Lengths are a little wider than documented: vendors change them, and the prefixes are rare. */

const AI_SERVICES: readonly Format[] = [
  format('anthropic-key', 'sk-ant-', /sk-ant-[\w-]{16,300}/, { left: 'none' }),
  format('openai-key', 'sk-', /sk-(?:proj|svcacct|admin|None|or-v1|lf|service)-[\w-]{20,300}/),
  // `sk-` also starts CSS class names: only a long run of letters and digits is a key.
  format('openai-key', 'sk-', /sk-[\w-]{20,300}/, {
    isLikely: (find) => /[A-Za-z0-9]{16}/.test(find) && isRandom(find),
  }),
  format('google-api-key', 'AIza', /AIza[\w-]{35}/),
  format('huggingface-token', 'hf_', /hf_[A-Za-z0-9]{30,60}(?![A-Za-z0-9_])/),
  format('huggingface-token', 'api_org_', /api_org_[A-Za-z0-9]{30,60}/),
  format('replicate-token', 'r8_', /r8_[A-Za-z0-9]{30,60}/),
  format('groq-key', 'gsk_', /gsk_[A-Za-z0-9]{40,80}/),
  format('xai-key', 'xai-', /xai-[A-Za-z0-9]{40,120}/),
  format('perplexity-key', 'pplx-', /pplx-[A-Za-z0-9]{40,80}/, { left: 'none' }),
  format('bedrock-key', 'ABSK', /ABSK[A-Za-z0-9+/]{100,280}={0,2}/),
  format('bedrock-key', 'bedrock-api-key-', /bedrock-api-key-[\w+/=-]{20,2000}/, { left: 'none' }),
  format('cerebras-key', 'csk-', /csk-[a-z0-9]{40,60}/, { isLikely: isRandom }),
  format('fireworks-key', 'fw_', /fw_[A-Za-z0-9]{22,30}(?!\w)/, { isLikely: isRandom }),
  format('together-key', 'tgp_v1_', /tgp_v1_[\w-]{40,60}/),
  format('voyage-key', 'pa-', /pa-[\w-]{40,50}(?![\w-])/, { isLikely: isJumble }),
  format('elevenlabs-key', 'sk_', /sk_[0-9a-f]{48}(?!\w)/),
  format('langsmith-key', ['lsv2_', 'ls__'], /(?:lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{8,12}|ls__[0-9a-f]{32})/),
  format('tavily-key', 'tvly-', /tvly-(?:(?:dev|prod)-)?[A-Za-z0-9-]{30,60}/, { isLikely: isRandom }),
  format('firecrawl-key', 'fc-', /fc-[0-9a-f]{32}(?!\w)/),
  format('pinecone-key', 'pcsk_', /pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{50,70}/),
  format('modal-secret', ['as-', 'ak-'], /a[sk]-[A-Za-z0-9]{22}(?![\w-])/, { isLikely: isJumble }),
  format('nvidia-key', 'nvapi-', /nvapi-[\w-]{50,90}/, { left: 'none' }),
  format('e2b-key', 'e2b_', /e2b_[0-9a-f]{40}(?!\w)/),
  format('jina-key', 'jina_', /jina_[\w-]{50,80}/, { isLikely: isRandom }),
  format('helicone-key', 'sk-helicone-', /sk-helicone-(?:[a-z0-9]{4,12}-){2,5}[a-z0-9]{4,12}/),
  format('context7-key', 'ctx7sk-', new RegExp(`ctx7sk-${UUID_PATTERN}`)),
  format('cursor-key', 'crsr_', /crsr_[0-9a-f]{60,70}/),
];

const GITLAB = ['pat', 'dt', 'ptt', 'rt', 'rtr', 'soat', 'cbt', 'ft', 'imt', 'agent', 'oas', 'ffct', 'wt'].map(
  (part) => `gl${part}-`,
);

const CODE_HOSTS: readonly Format[] = [
  format('github-token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], /gh[pousr]_[A-Za-z0-9]{30,255}/, { left: 'none' }),
  format('github-token', 'github_pat_', /github_pat_\w{22,255}/, { left: 'none' }),
  format(
    'gitlab-token',
    GITLAB,
    /gl(?:pat|dt|ptt|rt|rtr|soat|cbt|ft|imt|agent|oas|ffct|wt)-[\w-]{20,300}(?:\.[\w-]{2,12}){0,2}/,
  ),
  format('gitlab-token', 'GR1348941', /GR1348941[\w-]{20,60}/),
  format('bitbucket-token', 'ATBB', /ATBB[A-Za-z0-9]{24,60}/),
  format('atlassian-token', ['ATATT3', 'ATCTT3'], /AT[AC]TT3[\w=-]{50,300}/),
  format('npm-token', 'npm_', /npm_[A-Za-z0-9]{36}(?![A-Za-z0-9_])/),
  format('pypi-token', 'pypi-', /pypi-[\w-]{50,1000}/),
  format('rubygems-key', 'rubygems_', /rubygems_[0-9a-f]{40,64}/, { left: 'none' }),
  format('clojars-token', 'CLOJARS_', /CLOJARS_[A-Za-z0-9]{50,70}/),
  format('docker-token', 'dckr_', /dckr_(?:pat|oat)_[\w-]{20,80}/, { left: 'none' }),
  format('artifactory-token', 'AKCp', /AKCp[A-Za-z0-9]{60,80}/, { left: 'blob' }),
  format('artifactory-token', 'cmVmd', /cmVmd[A-Za-z0-9]{55,64}(?![A-Za-z0-9+/=])/, { left: 'blob' }),
  format('sourcegraph-token', 'sgp_', /sgp_(?:(?:[0-9a-fA-F]{16}|local)_)?[0-9a-fA-F]{40}/),
  format('linear-key', 'lin_', /lin_(?:api|oauth)_[A-Za-z0-9]{32,80}/, { left: 'none' }),
  format('postman-key', ['PMAK-', 'PMAT-'], /PMA(?:K-[0-9a-f]{20,30}-[0-9a-f]{30,40}|T-[0-9A-Z]{26})/, {
    left: 'none',
  }),
  format('buildkite-token', ['bkua_', 'bkct_', 'bkpt_'], /bk(?:ua|ct|pt)_[\w-]{40,100}/, { isLikely: isRandom }),
  format('sonar-token', ['sqp_', 'squ_', 'sqa_'], /sq[pua]_[0-9a-f]{40}(?!\w)/),
  format('azure-devops-token', 'AZDO', /[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])/, { lead: 76 }),
  format('circleci-token', ['CCIPAT_', 'CCIPRJ_'], /CCIP(?:AT|RJ)_[A-Za-z0-9]{16,30}_[0-9a-f]{40}/, { left: 'none' }),
  format('nuget-key', 'oy2', /oy2[a-z0-9]{43}(?![A-Za-z0-9+/=])/, { left: 'blob', isLikely: isRandom }),
  format('crates-token', 'cio', /cio[A-Za-z0-9]{32}(?![A-Za-z0-9+/=])/, { left: 'blob', isLikely: isJumble }),
  format('deno-token', ['ddp_', 'ddo_'], /dd[po]_[A-Za-z0-9]{36}(?!\w)/),
  format(
    'jetbrains-token',
    'perm:',
    /perm[:-][A-Za-z0-9+/]{2,60}={0,2}\.[A-Za-z0-9+/]{2,60}={0,2}\.[A-Za-z0-9]{20,60}/,
  ),
  format('octopus-key', 'API-', /API-[A-Z0-9]{25,30}(?![A-Za-z0-9])/, { isLikely: isRandom }),
];

const CLOUDS: readonly Format[] = [
  format('aws-access-key-id', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], /(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/),
  format('aws-access-key-id', 'A3T', /A3T[A-Z0-9][A-Z0-9]{16}(?![A-Za-z0-9+/])/, { left: 'blob', isLikely: isRandom }),
  format('aws-session-token', 'IQoJb3JpZ2lu', /IQoJb3JpZ2lu[A-Za-z0-9+/=]{100,2000}/),
  format('alibaba-key-id', 'LTAI', /LTAI[A-Za-z0-9]{12,24}(?![A-Za-z0-9+/])/, { left: 'blob', isLikely: isRandom }),
  format('gcp-oauth-secret', 'GOCSPX-', /GOCSPX-[\w-]{20,60}/),
  format('gcp-access-token', 'ya29.', /ya29\.(?:[a-z]\.)?[\w-]{20,1500}/),
  format('azure-client-secret', 'Q~', /[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{30,36}(?![\w~-])/, { lead: 4 }),
  format('digitalocean-token', ['dop_v1_', 'doo_v1_', 'dor_v1_'], /do[opr]_v1_[0-9a-f]{64}/, { left: 'none' }),
  format('heroku-key', 'HRKU-', /HRKU-[\w-]{30,100}/),
  format('netlify-token', 'nfp_', /nfp_[A-Za-z0-9]{36,60}/),
  format('supabase-token', 'sbp_', /sbp_(?:v0_|oauth_)?[0-9a-f]{40}/),
  format('supabase-token', 'sb_secret_', /sb_secret_[\w-]{20,80}/),
  format('planetscale-token', 'pscale_', /pscale_(?:tkn|pw|oauth)_[\w=.-]{30,80}/, { left: 'none' }),
  format('databricks-token', 'dapi', /dapi[0-9a-f]{32}(?:-\d{1,2})?(?![0-9a-f])/),
  format('vault-token', ['hvs.', 'hvb.', 'hvr.'], /hv[sbr]\.[\w-]{24,300}/),
  format('vault-token', 's.', /s\.[A-Za-z0-9]{24}(?![\w(-]|\.\w)/, { isLikely: isRandom }),
  format('terraform-token', '.atlasv1.', /[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,80}/, { lead: 14 }),
  format('pulumi-token', 'pul-', /pul-[0-9a-f]{40}/),
  format('tailscale-key', 'tskey-', /tskey-[a-z]{2,10}-[\w-]{20,100}/, { left: 'none' }),
  format('doppler-token', 'dp.', /dp\.(?:pt|st|sa|ct|scim|audit)\.[\w.-]{40,120}/),
  format('dynatrace-token', 'dt0', /dt0[a-z]\d{2}\.[A-Z0-9]{8,24}\.[A-Z0-9]{64}/),
  format('cloudflare-origin-key', 'v1.0-', /v1\.0-[0-9a-f]{24}-[0-9a-f]{100,160}/),
  format('clickhouse-key', '4b1d', /4b1d[A-Za-z0-9]{38}(?![A-Za-z0-9+/=])/, {
    left: 'blob',
    isLikely: (find) => /[A-Zg-z]/.test(find),
  }),
  format('fly-token', ['fo1_', 'fm1', 'fm2_'], /(?:fo1_[\w-]{40,60}|(?:fm1[ar]|fm2)_[A-Za-z0-9+/_-]{100,2000}={0,3})/),
  format('openshift-token', 'sha256~', /sha256~[\w-]{43}/),
  format('scalingo-token', 'tk-us-', /tk-us-[\w-]{48}/),
  format('harness-token', ['pat.', 'sat.'], /[ps]at\.[\w-]{22}\.[0-9a-fA-F]{24}\.[A-Za-z0-9]{20}/),
  format('infracost-key', 'ico-', /ico-[A-Za-z0-9]{32}/),
  format('prefect-key', ['pnu_', 'pnb_'], /pn[ub]_[A-Za-z0-9]{36}/),
  format('render-key', 'rnd_', /rnd_[A-Za-z0-9]{26,40}(?!\w)/, { isLikely: isRandom }),
  format('railway-token', ['rwy_', 'rw_'], /(?:rwy_[A-Za-z0-9]{30,60}|rw_[A-Z][a-z]{1,9}\.[\w-]{40,400})/),
  format('neon-key', 'napi_', /napi_[a-z0-9]{60,80}/),
  format('neon-password', 'npg_', /npg_[A-Za-z0-9]{12}(?!\w)/, { isLikely: isRandom }),
  format('vercel-token', ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'], /vc[piark]_[A-Za-z0-9]{24,70}(?!\w)/, {
    isLikely: isRandom,
  }),
  format('cloudflare-token', ['cfut_', 'cfat_', 'cfk_'], /cf(?:ut|at|k)_[A-Za-z0-9]{40,60}(?!\w)/, {
    isLikely: isRandom,
  }),
  format('google-refresh-token', ['1//0', '4/0A'], /(?:1\/\/0|4\/0A)[\w-]{60,200}/, { isLikely: isRandom }),
  format('tencent-key-id', 'AKID', /AKID[A-Za-z0-9]{32}(?![A-Za-z0-9+/=])/, { left: 'blob', isLikely: isRandom }),
  format('yandex-key', ['AQVN', 'y0_'], /(?:AQVN[\w-]{34,40}|y0_[\w-]{50,60})(?![\w-])/, { isLikely: isRandom }),
  format('vercel-token', 'vercel_blob_rw_', /vercel_blob_rw_[A-Za-z0-9]{10,20}_[A-Za-z0-9]{20,60}/, { left: 'none' }),
  format('mongodb-secret', 'mdb_sa_sk_', /mdb_sa_sk_[\w-]{30,60}/, { left: 'none' }),
  format('infisical-token', 'st.', /st\.[0-9a-f]{24}\.[0-9a-f]{32}\.[0-9a-f]{32}/),
  format('xata-key', 'xau_', /xau_[A-Za-z0-9]{36,40}/),
  format('expo-token', 'expo_', /expo_[\w-]{40}(?![\w-])/, { isLikely: isJumble }),
  format(
    'bitwarden-token',
    '0.',
    /0\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[A-Za-z0-9]{30}:[A-Za-z0-9+/]{22}==/,
  ),
];

const TELEGRAM = Array.from(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-',
  (letter) => `:${letter}`,
);

const PRODUCTS: readonly Format[] = [
  format('1password-key', 'A3-', /A3-[A-Z0-9]{6}-(?:[A-Z0-9]{5,11}-){2,4}[A-Z0-9]{5,11}(?![A-Za-z0-9-])/),
  format('1password-token', 'ops_eyJ', /ops_eyJ[A-Za-z0-9+/_-]{100,2000}={0,3}/, { left: 'none' }),
  format('adobe-secret', 'p8e-', /p8e-[\w-]{32}/),
  format('airtable-token', 'pat', /pat[A-Za-z0-9]{14}\.[0-9a-f]{64}/),
  format('age-key', 'AGE-SECRET-KEY-', /AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{50,2000}/, { left: 'none' }),
  format('duffel-token', 'duffel_', /duffel_(?:test|live)_[\w=-]{40,50}/, { left: 'none' }),
  format('easypost-key', ['EZAK', 'EZTK'], /EZ[AT]K[A-Za-z0-9]{54}/),
  format('facebook-token', 'EAA', /EAA[A-Za-z0-9]{100,400}(?![A-Za-z0-9+/=])/, {
    left: 'blob',
    isLikely: isRandom,
  }),
  format('figma-token', ['figd_', 'figo_', 'figu_', 'figr_'], /fig[dour]_[\w-]{30,80}/),
  format('flutterwave-key', ['FLWSECK', 'FLWPUBK'], /FLW(?:SECK|PUBK)(?:_TEST)?-[A-Za-z0-9]{12,64}(?:-X)?/),
  format('frameio-token', 'fio-u-', /fio-u-[\w=-]{60,68}/),
  format('grafana-token', 'glc_', /glc_[A-Za-z0-9+/]{32,400}={0,3}/),
  format('grafana-token', 'glsa_', /glsa_\w{30,300}/),
  format('grafana-token', 'eyJrIjoi', /eyJrIjoi[A-Za-z0-9+/_-]{60,400}={0,3}/),
  format('maxmind-key', '_mmk', /[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk/, { lead: 36 }),
  format('notion-token', 'ntn_', /ntn_[A-Za-z0-9]{40,60}/),
  format('notion-token', 'secret_', /secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])/, { isLikely: isRandom }),
  format('readme-key', 'rdme_', /rdme_[a-z0-9]{60,80}/),
  format('brevo-key', 'xkeysib-', /xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}/, { left: 'none' }),
  format('brevo-key', 'xsmtpsib-', /xsmtpsib-[0-9a-f]{64}-[A-Za-z0-9]{16}/, { left: 'none' }),
  format('sendgrid-key', 'SG.', /SG\.[\w-]{16,32}\.[\w-]{16,64}|SG\.[\w=.-]{60,80}/),
  format('sentry-token', 'sntry', /sntry[su]_[\w+/=-]{40,400}/, { left: 'none' }),
  format('shippo-token', 'shippo_', /shippo_(?:live|test)_[0-9a-fA-F]{40}/, { left: 'none' }),
  format('shopify-token', 'shp', /shp(?:at|ca|pa|ss|ua|tka)_[0-9a-fA-F]{32}/),
  format('square-token', 'sq0', /sq0[a-z]{3}-[\w-]{22,60}/),
  format('square-token', 'EAAA', /EAAA[\w-]{22,100}(?![A-Za-z0-9+/=])/, {
    left: 'blob',
    isLikely: (find) => isRandom(find) && !/A{6}/.test(find),
  }),
  format('slack-token', 'xoxe', /xoxe(?:\.xox[abp])?-\d-[A-Za-z0-9+/=-]{100,400}/, { left: 'none' }),
  format('slack-token', 'xox', /xox[abceoprs](?:\.xox[abp])?-[A-Za-z0-9-]{10,400}/, { left: 'none' }),
  format('slack-token', 'xapp-', /xapp-[A-Za-z0-9-]{20,300}/, { left: 'none' }),
  format('stripe-key', ['sk_', 'rk_'], /[rs]k_(?:live|test|prod)_(?:[\w-]{30,250}|[A-Za-z0-9]{10,250})/, {
    isLikely: (find) => isRandom(find) || (/_[A-Za-z0-9]{24,}$/.test(find) && isVaried(find)),
  }),
  format('webhook-secret', 'whsec_', /whsec_[A-Za-z0-9+/=]{20,100}/, { left: 'none' }),
  format('telegram-token', TELEGRAM, /\d{8,10}:[\w-]{35}(?![\w-])/, { lead: 10, isLikely: isRandom }),
  format('twilio-key', 'SK', /SK[0-9a-f]{32}(?![A-Za-z0-9])/),
  format('twilio-sid', 'AC', /AC[0-9a-f]{32}(?::[0-9a-f]{32})?(?![A-Za-z0-9])/),
  format('mailgun-key', 'key-', /key-[0-9a-f]{32}(?![A-Za-z0-9])/),
  format('mailchimp-key', '-us', /[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])/, { lead: 32 }),
  format('mapbox-token', ['sk.eyJ', 'pk.eyJ'], /[sp]k\.eyJ[\w-]{20,300}\.[\w-]{16,60}/),
  format('newrelic-key', 'NRAK-', /NRAK-[A-Z0-9]{20,40}/),
  format('datadog-key', ['ddapi_', 'ddapp_'], /dd(?:api|app)_[A-Za-z0-9]{30,60}/),
  format('launchdarkly-key', 'sdk-', new RegExp(String.raw`sdk-${UUID_PATTERN}(?![A-Za-z0-9-])`)),
  format('dropbox-token', 'sl.', /sl\.(?:u\.)?[\w-]{100,1500}/),
  format('resend-key', 're_', /re_[A-Za-z0-9]{8}_[A-Za-z0-9]{22,26}(?!\w)/, { isLikely: isJumble }),
  format('posthog-key', ['phx_', 'phs_'], /ph[xs]_[A-Za-z0-9]{40,50}/),
  format(
    'plaid-token',
    'access-',
    /access-(?:production|development|sandbox)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/,
  ),
  format('typeform-token', 'tfp_', /tfp_[\w.=-]{40,70}(?![\w-])/, { isLikely: isJumble }),
  format('contentful-token', 'CFPAT-', /CFPAT-[\w-]{40,50}/, { left: 'none' }),
  format('lambda-key', 'secret_', /secret_[\w-]{20,70}\.[A-Za-z0-9]{32}(?!\w)/, { isLikely: isRandom }),
  format('razorpay-key', 'rzp_', /rzp_(?:live|test)_[A-Za-z0-9]{14}(?!\w)/),
  format('paddle-key', 'pdl_', /pdl_(?:live|sdbx)_apikey_\w{40,80}/, { left: 'none' }),
  format('polar-token', 'polar_', /polar_(?:oat|pat|whs|rst|at_[ou]|rt_[ou])_[A-Za-z0-9]{30,60}/, {
    isLikely: isRandom,
  }),
  format('hubspot-token', 'pat-', new RegExp(`pat-(?:na|eu|ap)\\d-${UUID_PATTERN}`)),
  format('axiom-token', ['xaat-', 'xapt-'], new RegExp(`xa[ap]t-${UUID_PATTERN}`)),
  format('launchdarkly-key', 'api-', new RegExp(`api-${UUID_PATTERN}(?![\\w-])`)),
  format('honeycomb-key', ['hca', 'hcx', 'hcb'], /hc[abx][ilmc]k_[a-z0-9_]{50,64}(?!\w)/),
  format('newrelic-key', ['NRII-', 'NRIQ-', 'NRRA-'], /NR(?:II|IQ|RA)-[\w-]{30,50}/),
  format('asana-token', ['1/', '2/'], /[12]\/\d{13,20}(?:\/\d{13,20})?:[0-9a-f]{32}(?!\w)/),
  format('clickup-token', 'pk_', /pk_\d{5,10}_[A-Z0-9]{32}(?!\w)/),
  format('intercom-token', 'dG9rOj', /dG9rOj[A-Za-z0-9+/]{40,90}={0,2}/, { left: 'blob' }),
  format('mandrill-key', 'md-', /md-[\w-]{22}(?![\w-])/, { isLikely: isJumble }),
  format('sanity-token', 'sk', /sk[A-Za-z0-9]{80,200}(?![A-Za-z0-9+/=])/, { left: 'blob', isLikely: isJumble }),
  format('inngest-key', 'signkey-', /signkey-(?:prod|test|branch)-[0-9a-f]{32,64}/),
  format('svix-key', 'testsk_', /testsk_[\w-]{30,60}(?:\.\w{2,6})?/, { isLikely: isRandom }),
];

/** Base64 of a JWT. */
const isEncodedJwt = (find: string) =>
  /^eyJ[\w-]{8,}\.(?:eyJ|e30)/.test(Buffer.from(find, 'base64').toString('latin1'));

/** Password hashes written by `crypt` can be cracked. */
const HASHES: readonly Format[] = [
  format(
    'password-hash',
    ['$1$', '$5$', '$6$', '$y$', '$apr1$'],
    /\$(?:[156y]|apr1)\$(?:(?:rounds=\d{1,9}|j\w{1,6})\$)?[\w./]{1,40}\$[\w./]{22,100}/,
  ),
  format(
    'password-hash',
    ['pbkdf2', 'scrypt:', 'SCRAM-SHA-'],
    /(?:pbkdf2[_:]sha\d{1,3}(?:\$|:)\d{3,8}|scrypt:\d{2,8}:\d{1,3}:\d{1,3}|SCRAM-SHA-\d{1,3}\$\d{3,7})[$:][\w+/=.-]{4,64}\$[\w+/=:]{27,200}/,
  ),
  format('password-hash', ['{SHA', '{SSHA'], /\{S?SHA(?:256|384|512)?\}[A-Za-z0-9+/]{27,120}={0,2}/),
  format('password-hash', '$2', /\$2[abxy]?\$\d\d\$[\w./]{53}/),
  format('password-hash', '$argon2', /\$argon2(?:id|i|d)\$v=\d{1,3}\$[\w=,]{5,60}\$[\w+/]{8,80}\$[\w+/]{16,200}/),
];

/** An encrypted token (JWE): the header says how. */
const isJwe = (find: string) => {
  const header = Buffer.from(find.slice(0, find.indexOf('.')), 'base64url').toString('latin1');
  return header.startsWith('{') && header.includes('"enc"');
};

const PROTOCOLS: readonly Format[] = [
  format('jwt', 'ZXlK', /ZXlK[A-Za-z0-9+/_-]{40,8000}={0,2}/, { isLikely: isEncodedJwt }),
  // Not after a word: otherwise a long run of these would be searched again at each of its parts.
  format(
    'jwt',
    'eyJ',
    /(?:(?<![A-Za-z0-9-]_|(?<!-\d{1,6})-)|(?<=(?<![\w-])(?:[a-z][a-z0-9]{0,9}_){1,2}))eyJ[\w-]{8,3000}\.(?:eyJ|e30)[\w-]{0,8000}(?:\.[\w-]{0,2000}){0,3}/,
  ),
  format(
    'jwt',
    'eyJ',
    /(?<![A-Za-z0-9-]_|(?<!-\d{1,6})-)eyJ[\w-]{8,1000}\.[\w-]{0,1000}\.[\w-]{8,64}\.[\w-]{1,8000}\.[\w-]{16,64}/,
    {
      isLikely: isJwe,
    },
  ),
];

export const VENDOR_FORMATS: readonly Format[] = [
  ...AI_SERVICES,
  ...CODE_HOSTS,
  ...CLOUDS,
  ...PRODUCTS,
  ...OTHER_VENDORS,
  ...HASHES,
  ...PROTOCOLS,
];
