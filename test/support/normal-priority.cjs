'use strict';
// Preloaded into the processes of tests (see processes.ts).
require('node:os').setPriority = () => {};
