import type { Disguised } from './disguises.ts';
import { AN, type Random } from './random.ts';

/*
 * Secrets in defaults of code, in tests that fill in forms, in sentences, in tables, and in files and commands that have
 * no sign between name and value. In their first run the redactor missed nearly all of them.
 */

type Make = (r: Random) => readonly [text: string, secret: string];

/** What a person chooses, and what a generator makes. */
const password = (r: Random) =>
  r.pick([`${r.chars(AN, 9)}7q!`, `Rocket${r.chars('123456789', 4)}`, `${r.chars(AN, 22)}7q`]);

const around =
  (before: string, after = ''): Make =>
  (r) => {
    const secret = password(r);
    return [`${before}${secret}${after}`, secret];
  };

const IN_CODE: Readonly<Record<string, Make>> = {
  'default after ||': around("const pw = process.env.ADMIN_PASSWORD || '", "';"),
  'default after ??': around('password: process.env["DB_PASSWORD"] ?? "', '",'),
  'default after or': around('PW = os.environ.get("DB_PASSWORD") or "', '"'),
  setdefault: around("os.environ.setdefault('DB_PASSWORD', '", "')"),
  'fetch with a default': around("ENV.fetch('SMTP_PASSWORD', '", "')"),
  'constant in Rust': around('const DB_PASSWORD: &str = "', '";'),
  'static constant in Rust': around('static DB_PASSWORD: &\'static str = "', '";'),
  'property in C#': around('public string Password { get; set; } = "', '";'),
  'optional in TypeScript': around("let password: string | undefined = '", "';"),
  Playwright: around("await page.fill('#password', '", "');"),
  'Playwright by label': around("await page.getByLabel('Password').fill('", "');"),
  Cypress: around("cy.get('[name=password]').type('", "')"),
  Selenium: around('driver.find_element(By.ID, "password").send_keys("', '")'),
};

const SPOKEN: Readonly<Record<string, Make>> = {
  quoted: around('Use the password "', '" to log in.'),
  'in backticks': around('with the password `', '`, please'),
  'for something': around('The passphrase for the deploy key: '),
  'beside a user': around('Log in with admin / '),
  'beside an address': around('Test account: ada@example.org / ', '.'),
  German: around('Das Passwort lautet '),
  'German, with a colon': around('Kennwort: '),
  French: around('Mot de passe : '),
  Spanish: around('La contraseña es '),
  Portuguese: around('A senha é '),
  Dutch: around('Wachtwoord: '),
  Russian: around('Пароль: '),
  Chinese: around('密码：'),
  Japanese: around('パスワードは '),
};

const IN_TABLES: Readonly<Record<string, Make>> = {
  CSV: around('name,password\nada,'),
  'CSV with semicolons': around('id;user;password\n1;ada;"', '"'),
  Markdown: around('| User | Password |\n|---|---|\n| ada | `', '` |'),
  psql: around(' id | password \n----+---------\n  1 | ', '\n(1 row)'),
};

const IN_COMMANDS_AND_FILES: Readonly<Record<string, Make>> = {
  Gradle: around("    storePassword '", "'"),
  msmtp: around('account work\npassword   '),
  nmcli: around('nmcli dev wifi connect Home password "', '"'),
  signtool: around('signtool sign /f c.pfx /p ', ' a.exe'),
  Grafana: around('grafana-cli admin reset-admin-password '),
  Cisco: around('username ada privilege 15 secret '),
  'Cisco enable': around('enable secret '),
  'password file': around('echo "', '" > .vault_pass'),
  gcloud: around('echo -n "', '" | gcloud secrets create db-password --data-file=-'),
  printf: around("printf 'DB_PASSWORD=%s\\n' '", "' >> .env"),
};

const plant =
  (forms: Readonly<Record<string, Make>>) =>
  (r: Random): readonly Disguised[] =>
    Object.entries(forms).map(([id, make]) => {
      const [text, secret] = make(r);
      return { id, text, secrets: [secret] };
    });

/** All generators, by class. */
export const UNMARKED_SECRETS: Readonly<Record<string, (random: Random) => readonly Disguised[]>> = {
  'in code': plant(IN_CODE),
  sentences: plant(SPOKEN),
  tables: plant(IN_TABLES),
  'in commands and files': plant(IN_COMMANDS_AND_FILES),
};
