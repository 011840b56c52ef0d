import { testLastWords } from '../support/last-words.ts';

testLastWords(5);
