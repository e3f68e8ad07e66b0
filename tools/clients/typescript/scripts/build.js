// Builds the package into a folder of its own: `package`, ready for `npm pack` and `npm publish`, beside the
// `node_modules` that hold the compiler. Nothing is written into the source tree.
//     node scripts/build.js [FOLDER]        by default target/clients/typescript of the repository
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const source = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const repository = path.join(source, '../../..');
const folder = path.resolve(process.argv[2] ?? path.join(repository, 'target/clients/typescript'));
const built = path.join(folder, 'package'),
  dist = path.join(built, 'dist');

fs.rmSync(built, { recursive: true, force: true });
fs.mkdirSync(dist, { recursive: true });

const compiler = path.join(folder, 'node_modules/typescript/bin/tsc');
const types = path.join(folder, 'node_modules/@types');
const { status } = spawnSync(process.execPath, [compiler, '-p', source, '--outDir', dist, '--typeRoots', types], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(1);

// The second verifier is a script. As a module it has neither `module` nor `require`: named here, so that a bundler
// does not look for Node's modules, which only its command line uses.
const script = fs.readFileSync(path.join(repository, 'tools/verifier/fairshoe-verify.js'), 'utf8');
const bare = script.replace(/^#!.*\n/, '');
const head = 'const module = undefined, require = undefined;\n';
fs.writeFileSync(path.join(dist, 'fairshoe-verify.js'), `${head}${bare}export default fairshoe;\n`);
fs.copyFileSync(path.join(source, 'src/fairshoe-verify.d.ts'), path.join(dist, 'fairshoe-verify.d.ts'));

const { devDependencies: _, ...manifest } = JSON.parse(fs.readFileSync(path.join(source, 'package.json'), 'utf8'));
fs.writeFileSync(path.join(built, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
fs.copyFileSync(path.join(source, 'README.md'), path.join(built, 'README.md'));
fs.copyFileSync(path.join(repository, 'LICENSE'), path.join(built, 'LICENSE'));
