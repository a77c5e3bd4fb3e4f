import { expect, it } from 'vitest';
import { redact } from './testing/redactor.ts';

const PASSWORD = 'Falcon-River-42';

it.each([
  (s: string) => `const hash = await bcrypt.hash('${s}', 10);`,
  (s: string) => `'password' => Hash::make('${s}')`,
  (s: string) => `user.set_password("${s}")`,
  (s: string) => `crypto.createHmac('sha256', '${s}').update(body)`,
  (s: string) => `jwt.sign({ id: 1 }, '${s}', { expiresIn: '1h' })`,
  (s: string) => `server.login("ada@example.org", "${s}")`,
  (s: string) => `DriverManager.getConnection("jdbc:mysql://h/db", "root", "${s}");`,
  (s: string) => `new mysqli("localhost", "root", "${s}", "shop");`,
  (s: string) => `new Sequelize('db', 'ada', '${s}', { dialect: 'mysql' })`,
  (s: string) => `WiFi.begin("home", "${s}");`,
  (s: string) => `Credentials.basic("ada", "${s}")`,
  (s: string) => `hashlib.pbkdf2_hmac('sha256', b'${s}', salt, 100_000)`,
  (s: string) => `login_as("admin", "${s}")`,
  (s: string) => `auth.check("ada", "${s}")`,
  (s: string) => `User.objects.create_superuser('admin', 'ada@example.org', '${s}')`,
])('finds a password that has a position instead of a name: %s', (write) => {
  expect(redact(write(PASSWORD))).toBe(
    write('[secret:password]').replace(/password(?=\]['"](?:\)\.update|, \{ expires))/, 'assigned-secret'),
  );
});

it.each([
  "bcrypt.hash('password', 10)",
  'bcrypt.hash(password, 10)',
  "jwt.sign(payload, process.env.SECRET, { algorithm: 'HS256' })",
  "crypto.createHmac('sha256', secret)",
  'client.login(user, password)',
  "connect('localhost', 'root', '')",
])('leaves %s alone', (text) => {
  expect(redact(text)).toBe(text);
});
