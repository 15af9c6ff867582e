package org.example.notes;

import android.app.Activity;
import android.content.Intent;
import android.os.Bundle;
import android.os.Handler;
import android.util.Log;
import android.widget.TextView;
import keep.Untouched;

/** Works on a note, and gives its sum back. */
public class EditActivity extends Activity implements Runnable {
    private final Handler handler = new Handler();
    private Note note;
    private int turns;
    private int sum;

    @Override
    protected void onCreate(Bundle state) {
        super.onCreate(state);
        setContentView(R.layout.edit);
        note = getIntent().getParcelableExtra("note");
        String text = getString(R.string.opened, note.number, note.text);
        ((TextView) findViewById(R.id.text)).setText(text);
        Log.i("notes", "edit " + text);
        handler.post(this);
    }

    @Override
    public void run() {
        sum = work(sum);
        turns++;
        if (turns < 20) {
            handler.postDelayed(this, 50);
        } else {
            setResult(RESULT_OK, new Intent().putExtra("sum", Untouched.shorten(sum)));
            finish();
        }
    }

    private int work(int sum) {
        NotesApplication application = (NotesApplication) getApplication();
        for (int i = 0; i < 2000; i++) {
            sum += application.weight(i) ^ note.number;
        }
        return sum;
    }
}
