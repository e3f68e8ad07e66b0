// The types of the built package, as a program in strict TypeScript meets them, and that the generated ones are those
// of the contract.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { built, folder, scratch, source } from './harness.js';

const node = (...args) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, said: `${stdout}${stderr}` };
};

test('a program in strict TypeScript compiles against the package, and wrong use of it does not', () => {
  const place = scratch();
  fs.mkdirSync(path.join(place, 'node_modules'));
  fs.symlinkSync(built, path.join(place, 'node_modules/fairshoe'));
  fs.writeFileSync(path.join(place, 'package.json'), '{"type":"module"}');
  fs.copyFileSync(path.join(source, 'test/usage.ts'), path.join(place, 'usage.ts'));
  // Without `skipLibCheck`: the package's own declarations are held to the same.
  fs.writeFileSync(
    path.join(place, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        noEmit: true,
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        target: 'es2022',
        module: 'nodenext',
        lib: ['es2023', 'dom', 'dom.iterable'],
        types: [],
      },
      include: ['usage.ts'],
    }),
  );
  const { status, said } = node(path.join(folder, 'node_modules/typescript/bin/tsc'), '-p', place);
  assert.equal(status, 0, said);
  fs.rmSync(place, { recursive: true });
});

test('the generated types are those of openapi.yaml, and a check sees where they are not', () => {
  const place = scratch(),
    copy = path.join(place, 'tools/clients/typescript');
  fs.cpSync(path.join(source, 'scripts'), path.join(copy, 'scripts'), { recursive: true });
  fs.cpSync(path.join(source, 'src/generated'), path.join(copy, 'src/generated'), { recursive: true });
  fs.mkdirSync(path.join(place, 'src/page/web'), { recursive: true });
  const repository = path.join(source, '../../..');
  fs.copyFileSync(path.join(repository, 'src/page/web/yaml.js'), path.join(place, 'src/page/web/yaml.js'));
  fs.writeFileSync(path.join(place, 'package.json'), '{"type":"module"}');
  const contract = fs.readFileSync(path.join(repository, 'openapi.yaml'), 'utf8');
  const check = text => {
    fs.writeFileSync(path.join(place, 'openapi.yaml'), text);
    return node(path.join(copy, 'scripts/generate.js'), '--check');
  };
  assert.equal(check(contract).status, 0, check(contract).said);
  const changed = check(contract.replace('operationId: getHealth', 'operationId: getWellBeing'));
  assert.equal(changed.status, 1);
  assert.match(changed.said, /operations\.ts, .*run node scripts\/generate\.js/);
  fs.rmSync(place, { recursive: true });
});
