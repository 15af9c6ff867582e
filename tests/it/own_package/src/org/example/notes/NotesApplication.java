package org.example.notes;

import android.app.Application;

/** Begins before any activity. */
public class NotesApplication extends Application {
    private int[] table;

    @Override
    public void onCreate() {
        super.onCreate();
        table = new int[getResources().getInteger(R.integer.rounds)];
        for (int i = 0; i < table.length; i++) {
            table[i] = i * i;
        }
    }

    public int weight(int of) {
        return table[of % table.length];
    }
}
