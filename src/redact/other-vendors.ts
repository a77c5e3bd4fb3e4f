import { UUID_PATTERN } from '../lib/ids.ts';
import { type Format, format, isJumble, isRandom } from './vendor-format.ts';

/** Prefixes before a long hexadecimal number; without a known prefix such a number is a checksum. */
const HEX_PREFIXES = [
  'rootly',
  'inc',
  'dtn',
  'earthly',
  'depot_project',
  'depot_org',
  'depot_user',
  'cu',
  'sts',
  'ckey',
  'packagist_oat',
  'packagist_ort',
  'packagist_uut',
  'key',
].map((prefix) => `${prefix}_`);

/** Markers inside keys of Azure services; six characters and padding follow. */
const AZURE_MARKERS = ['AzFu', 'AzSe', 'AzCa', '+ACR', 'ACDb', '+ASt', '+AEh', '+ASb', '+AIoT', '+ARm', 'ABa'];

/** Azure, AWS, Google and other clouds. */
const CLOUD_KEYS: readonly Format[] = [
  format(
    'azure-key',
    AZURE_MARKERS,
    /[\w+/-]{33,80}(?:Az(?:Fu|Se|Ca)|\+(?:ACR|ASt|AEh|ASb|AIoT|ARm)|ACDb|ABa)[A-Za-z0-9]{6}(?:={1,2}|(?![\w+/=-]))/,
    { lead: 80, isLikely: isRandom },
  ),
  format('azure-key', 'JQQJ99', /[A-Za-z0-9]{50,54}JQQJ99[A-Za-z0-9]{20,30}(?!\w)/, { lead: 54 }),
  format('aws-session-token', ['FwoGZXIvYXdz', 'FQoGZXIvYXdz'], /F[wQ]oGZXIvYXdz[A-Za-z0-9+/=]{80,2000}/),
  format('gcp-hmac-key', 'GOOG', /GOOG(?:1[A-Z0-9]{40,60}|[A-Z0-9]{20})(?!\w)/, { isLikely: isRandom }),
  format('gemini-key', 'AQ.', /AQ\.[\w-]{40,100}(?![\w-]|\.\w)/, { isLikely: isRandom }),
  format('fcm-key', ':APA91b', /AAAA[\w-]{7}:APA91b[\w-]{100,200}/, { lead: 12 }),
  format('cloud-key-id', ['DO00', 'SCW', 'EXO'], /(?:DO00[A-Z0-9]{16}|SCW[A-Z0-9]{17}|EXO[0-9a-f]{26})(?!\w)/, {
    left: 'blob',
    isLikely: isRandom,
  }),
  format('backblaze-key', 'K00', /K00[A-Za-z0-9+/]{28}(?![\w+/=])/, { left: 'blob', isLikely: isJumble }),
  format('aiven-token', ['AVNS_', 'aivenv1_'], /(?:AVNS_[\w-]{16,40}|aivenv1_[\w-]{40,200})/),
  format('cockroach-key', 'CCDB1_', /CCDB1_[A-Za-z0-9]{16,30}_[A-Za-z0-9]{30,60}/),
  format('fauna-key', 'fnA', /fnA[\w-]{37,40}(?![\w-])/, { left: 'blob', isLikely: isJumble }),
  format('elastic-token', 'AAEAAWVsYXN0aWMv', /AAEAAWVsYXN0aWMv[A-Za-z0-9+/_-]{20,200}={0,2}/),
  format('elastic-token', 'essu_', /essu_[A-Za-z0-9+/_-]{40,200}={0,2}/),
  format('transifex-token', '1/', /1\/[0-9a-f]{40}(?!\w)/),
  format('databricks-token', 'dose', /dose[0-9a-f]{32}(?![0-9a-f])/),
  format('tinybird-token', 'p.eyJ', /p\.eyJ[\w-]{20,300}\.[\w-]{20,60}/),
  format('infisical-token', 'st.', new RegExp(`st\\.${UUID_PATTERN}\\.[0-9a-f]{32}\\.[0-9a-f]{32}`)),
  format('yandex-key', 't1.', /t1\.[\w-]{60,200}={0,2}\.[\w-]{60,120}={0,2}/),
];

/** Work, mail, chat, payment and other services. */
const SERVICES: readonly Format[] = [
  format('api-key', HEX_PREFIXES, /[a-z]{2,9}(?:_[a-z]{3,7})?_(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{28,32})(?!\w)/, {
    lead: 18,
  }),
  format('voiceflow-key', 'VF.DM.', /VF\.DM\.[0-9a-f]{24}\.[A-Za-z0-9]{12,24}/),
  format('teamcity-token', 'eyJ0eXAiOiAiVENWMiJ9.', /eyJ0eXAiOiAiVENWMiJ9\.[\w-]{16,60}\.[\w-]{30,80}/),
  format('trello-token', 'ATTA', /ATTA[0-9a-f]{64}(?:[0-9A-F]{8})?(?![A-Za-z0-9])/),
  format('salesforce-token', '!AQ', /00D[A-Za-z0-9]{12}(?:[A-Za-z0-9]{3})?!AQ[\w.]{60,150}/, { lead: 18 }),
  format('klaviyo-key', 'pk_', /pk_[0-9a-z]{34}(?!\w)/),
  format('courier-key', 'pk_prod_', /pk_prod_[A-Z0-9]{28}(?!\w)/),
  format('mailersend-key', 'mlsn.', /mlsn\.[0-9a-f]{60,70}/),
  format('telnyx-key', 'KEY0', /KEY0[A-Z0-9]{30,40}_[A-Za-z0-9]{20,24}/),
  format('slack-token', 'xoxd-', /xoxd-[A-Za-z0-9%+/=_-]{60,400}/, { left: 'none' }),
  format('paypal-token', 'A21AA', /A21AA[\w-]{80,110}(?![\w-])/, { left: 'blob', isLikely: isRandom }),
  format('paypal-token', 'access_token$', /access_token\$(?:production|sandbox)\$[a-z0-9]{10,20}\$[0-9a-f]{32}/),
  format('adyen-key', 'AQE', /AQE[A-Za-z0-9+/]{60,120}-[A-Za-z0-9+/]{30,60}=-[^\s"'`]{12,40}/),
  format('mercadopago-token', ['APP_USR-', 'TEST-'], /(?:APP_USR|TEST)-\d{12,18}-\d{6}-[0-9a-f]{32}-\d{5,12}/),
  format('midtrans-key', 'Mid-server-', /(?:SB-)?Mid-server-[\w-]{20,40}/, { lead: 3 }),
  format('omise-key', 'skey_', /skey_(?:test_)?[a-z0-9]{19}(?!\w)/, { isLikely: isRandom }),
  format('newrelic-key', 'NRAL', /[A-Za-z0-9]{36}NRAL(?!\w)/, { lead: 36, isLikely: isRandom }),
  format('flag-key', 'configcat-sdk-', /configcat-sdk-\d\/[\w-]{20,24}\/[\w-]{20,24}/),
  format('flag-key', 'ser.', /ser\.[A-Za-z0-9]{22}(?![\w.])/, { isLikely: isJumble }),
  format(
    'flag-key',
    [':production.', ':development.', ':default.'],
    /(?:\*|\[\]|[\w-]{1,30}):(?:production|development|default)\.[0-9a-f]{48,64}(?!\w)/,
    { lead: 30 },
  ),
  format('prismic-token', 'MC5', /MC5[\w-]{30,60}\.[\w-]{40,120}/, { left: 'blob' }),
  format('imagekit-key', 'private_', /private_[A-Za-z0-9+/]{26,28}={1,2}/, { isLikely: isRandom }),
  format('akamai-token', 'akab-', /akab-[a-z0-9]{16}-[a-z0-9]{16}(?![\w-])/),
  format('twitter-token', 'AAAAAAAAAAAAAAAAAAAAA', /A{20,24}[A-Za-z0-9%]{60,120}(?![A-Za-z0-9+/=])/, {
    left: 'none',
    isLikely: (find) => find.includes('%') && isRandom(find.replace(/^A+/, '')),
  }),
  format('instagram-token', ['IGQ', 'IGAA'], /IG(?:QV|QW|AA)[\w-]{100,300}(?![\w+/=-])/, {
    left: 'blob',
    isLikely: isRandom,
  }),
  format('linkedin-secret', 'WPL_AP1.', /WPL_AP1\.[A-Za-z0-9]{12,24}\.[A-Za-z0-9+/]{6,12}={0,2}/),
  format('vk-token', 'vk1.a.', /vk1\.a\.[\w-]{80,300}/),
  format('rapidapi-key', 'msh', /[0-9a-f]{10}msh[0-9a-f]{15}p1[0-9a-f]{5,6}jsn[0-9a-f]{12}/, { lead: 10 }),
  format('onesignal-key', 'os_v2_', /os_v2_(?:app|org)_[a-z2-7]{90,120}/),
  format('adafruit-key', 'aio_', /aio_[A-Za-z0-9]{28}(?!\w)/, { isLikely: isRandom }),
  format('ntfy-token', 'tk_', /tk_[a-z0-9]{29}(?!\w)/, { isLikely: isRandom }),
  format('nightfall-key', 'NF-', /NF-[A-Za-z0-9]{32}(?![\w-])/, { isLikely: isJumble }),
  format('onfido-token', 'api_', /api_(?:live|sandbox)(?:_[a-z]{2})?\.[\w-]{8,14}\.[\w-]{28,40}/),
  format('close-key', 'api_', /api_[A-Za-z0-9]{22}\.[A-Za-z0-9]{22}(?!\w)/, { isLikely: isJumble }),
  format('nostr-key', 'nsec1', /nsec1[02-9ac-hj-np-z]{58}(?!\w)/),
  format('bitcoin-key', ['xprv', 'yprv', 'zprv', 'tprv'], /[xyzt]prv[1-9A-HJ-NP-Za-km-z]{100,112}(?!\w)/),
  format('api-key', ['waka_', 'persona_'], new RegExp(`(?:waka|persona_(?:production|sandbox))_${UUID_PATTERN}`)),
  format('anaconda-token', 'AN-', new RegExp(`AN-${UUID_PATTERN}`)),
  format(
    'amazon-key',
    ['amzn.mws.', 'amzn1.oa2-cs.'],
    new RegExp(`amzn\\.mws\\.${UUID_PATTERN}|amzn1\\.oa2-cs\\.v1\\.[0-9a-f]{64}`),
  ),
  format('brave-key', 'BSA', /BSA[\w-]{28}(?![\w-])/, { left: 'blob', isLikely: isJumble }),
  format('upcloud-token', 'ucat_', /ucat_[0-9A-Z]{26}(?!\w)/),
  format('baidu-key', 'bce-v3/', /bce-v3\/ALTAK-[A-Za-z0-9]{16,40}\/[0-9a-f]{40}/),
  format('dify-key', ['app-', 'dataset-'], /(?:app|dataset)-[A-Za-z0-9]{24}(?![\w-]|\.\w)/, { isLikely: isJumble }),
  format('artifactory-token', 'reftkn:', /reftkn:\d\d:\d{10}:[A-Za-z0-9]{28}(?!\w)/),
  format('pubnub-key', 'sec-c-', /sec-c-[A-Za-z0-9+/]{44,60}={0,2}/),
  format('plain-key', 'plainApiKey_', /plainApiKey_[A-Za-z0-9]{40,80}/),
  format('retool-token', 'retool_01', /retool_01[a-z0-9]{20,40}(?!\w)/),
  format('runpod-key', 'rpa_', /rpa_[A-Z0-9]{40,50}[a-z0-9]{0,8}(?!\w)/),
  format('django-key', 'django-insecure-', /django-insecure-[^\s"'`\\]{40,60}/),
  format('honeycomb-key', 'hcxik_', /hcxik_[a-z0-9_]{50,64}(?!\w)/),
  format('kubernetes-token', 'K10', /K10[0-9a-f]{64}::(?:\w{1,20}:)?[0-9a-f]{16,64}/),
  format('swarm-token', 'SWMTKN-', /SWMTKN-1-[a-z0-9]{40,60}-[a-z0-9]{20,30}/),
  format('arcgis-key', ['AAPK', 'AAPT'], /AAP[KT][\w.-]{80,300}/, { left: 'blob', isLikely: isRandom }),
  format('discord-token', 'mfa.', /mfa\.[\w-]{80,90}(?![\w-])/),
  format('kubernetes-token', 'k8s-aws-v1.', /k8s-aws-v1\.[\w-]{100,3000}/),
  format('rancher-token', 'token-', /token-[a-z0-9]{5}:[a-z0-9]{50,60}(?!\w)/),
  format('portainer-token', 'ptr_', /ptr_[A-Za-z0-9+/]{43}=/),
  format('nexus-token', ['NpmToken.', 'NuGetApiKey.'], new RegExp(`(?:NpmToken|NuGetApiKey)\\.${UUID_PATTERN}`)),
  format('zoho-token', '1000.', /1000\.[0-9a-f]{32}\.[0-9a-f]{32}(?!\w)/),
  format('canva-secret', 'cnvca', /cnvca[\w-]{51}(?![\w-])/, { isLikely: isJumble }),
  format('endor-key', 'endr+', /endr\+[A-Za-z0-9-]{16}(?![\w-])/),
  format('intra-secret', 's-s4t2', /s-s4t2(?:ud|af)-[0-9a-f]{64}/),
  format('lichess-token', 'lip_', /lip_[A-Za-z0-9]{20}(?!\w)/, { isLikely: isJumble }),
  format('snowflake-token', 'ver:1-hint:', /ver:1-hint:\d{6,20}-[A-Za-z0-9+/]{50,400}={0,2}/),
  format('github-token', 'ghs_', /ghs_\d{1,12}_eyJ[\w-]{8,3000}\.[\w-]{8,3000}\.[\w-]{16,2000}/, { left: 'none' }),
];

/** Private keys as one line of base64 without markers: the start of the DER structure. */
const DER_KEYS: readonly Format[] = [
  format(
    'private-key',
    ['IBADANBgkqhkiG9w0BAQEFAASC', 'IBAAKC', 'IBAAKB'],
    /MII[A-Za-z0-9+/]{3}(?:IBADANBgkqhkiG9w0BAQEFAASC|IBAAK[BC])[A-Za-z0-9+/]{100,8000}={0,2}/,
    { lead: 6 },
  ),
  format(
    'private-key',
    ['MHcCAQEEI', 'MIGHAgEAMBMGByqGSM49', 'MIG2AgEAMBAGByqGSM49', 'MC4CAQAwBQYDK2V'],
    /(?:MHcCAQEEI|MIGHAgEAMBMGByqGSM49|MIG2AgEAMBAGByqGSM49|MC4CAQAwBQYDK2V)[A-Za-z0-9+/]{44,300}={0,2}/,
  ),
];

export const OTHER_VENDORS: readonly Format[] = [...CLOUD_KEYS, ...SERVICES, ...DER_KEYS];
